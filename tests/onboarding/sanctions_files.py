"""The sanctions list as OFAC publishes it, with people and companies that there are not."""

from onboarding.services.checks import list_passes, rechecks, sanctions
from tests.factories import NOON

END = "\x1a\r\n"
SDN = (
    '36,"QUILLON TRADING COMPANY LTD.",-0- ,"CUBA",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
    '173,"VORTEXA HOLDINGS S.A.",-0- ,"SDNTK] [IRAN",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
    '2674,"ZARQUONIAN, Ibrahim Tolvek","individual","SDGT","Commander",-0- ,-0- ,-0- ,-0- ,'
    "-0- ,-0- ,\"DOB 10 Mar 1970; POB Nowhere; a.k.a. 'BUTCHER'; a.k.a. 'ABU TOLVEK'.\"",
    '4001,"PÉREZ-ÑAKAR, Ana","individual","SDNT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
    '5005,"BRINE STAR","vessel","IRAN",-0- ,"EPXX","Tanker",-0- ,-0- ,"Iran",-0- ,-0- ',
)
ADDRESSES = (
    '36,25,"1 Example Road","Havana","Cuba",-0- ',
    "2674,26,-0- ,-0- ,-0- ,-0- ",
    '2674,27,"2 Example Road","Nowhere","Freedonia",-0- ',
)
ALIASES = (
    '36,12,"aka","QUILLON EXPORTS",-0- ',
    '2674,13,"aka","ZARQUON, Ebrahim",-0- ',
    '2674,14,"fka","ZARQUONIAN, Ibrahim Tolvek",-0- ',
)


def write_files(folder, *, sdn=SDN, addresses=ADDRESSES, aliases=ALIASES, encoding="utf-8"):
    """Write sdn.csv, add.csv and alt.csv, those of which there are rows, and return the first."""
    for name, rows in (("sdn.csv", sdn), ("add.csv", addresses), ("alt.csv", aliases)):
        (folder / name).unlink(missing_ok=True)
        if rows is not None:
            text = "".join(f"{row}\r\n" for row in rows) + END
            (folder / name).write_bytes(text.encode(encoding))
    return folder / "sdn.csv"


def load(folder, *, at=NOON, **rows):
    """Load a list."""
    return sanctions.load_list(write_files(folder, **rows), at=at)


def recheck(*, at, **options):
    """Compare all parties with the loaded lists, then check those again that must be."""
    list_passes.advance(at=at)
    return rechecks.recheck_outdated(at=at, **options)
