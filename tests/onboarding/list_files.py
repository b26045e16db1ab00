"""Files of the lists beside OFAC's, in their formats, with invented people and companies."""

from onboarding.choices import ListCode
from onboarding.services.checks import sanctions
from tests.factories import NOON

UN = """<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-02-27T10:00:00.000Z">
<INDIVIDUALS><INDIVIDUAL>
<DATAID>6900001</DATAID><FIRST_NAME>IBRAHIM</FIRST_NAME><SECOND_NAME>TOLVEK</SECOND_NAME>
<THIRD_NAME>ZARQUONIAN</THIRD_NAME><UN_LIST_TYPE>Al-Qaida</UN_LIST_TYPE>
<REFERENCE_NUMBER>QDi.999</REFERENCE_NUMBER><COMMENTS1>Moves money.</COMMENTS1>
<DESIGNATION><VALUE>Commander</VALUE></DESIGNATION><NATIONALITY><VALUE>Iran</VALUE></NATIONALITY>
<INDIVIDUAL_ALIAS>
<QUALITY>Good</QUALITY>
<ALIAS_NAME>Ebrahim Zarquon</ALIAS_NAME>
</INDIVIDUAL_ALIAS>
<INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>Abu Tolvek</ALIAS_NAME></INDIVIDUAL_ALIAS>
<INDIVIDUAL_ALIAS><QUALITY/><ALIAS_NAME/></INDIVIDUAL_ALIAS>
<INDIVIDUAL_ADDRESS><CITY>Nowhere</CITY><COUNTRY>Jordan</COUNTRY></INDIVIDUAL_ADDRESS>
<INDIVIDUAL_DATE_OF_BIRTH>
<TYPE_OF_DATE>EXACT</TYPE_OF_DATE>
<DATE>1970-03-10</DATE>
</INDIVIDUAL_DATE_OF_BIRTH>
<INDIVIDUAL_DATE_OF_BIRTH>
<TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE>
<YEAR>1968</YEAR>
</INDIVIDUAL_DATE_OF_BIRTH>
<INDIVIDUAL_DATE_OF_BIRTH>
<TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE>
<FROM_YEAR>1965</FROM_YEAR>
<TO_YEAR>1967</TO_YEAR>
</INDIVIDUAL_DATE_OF_BIRTH>
<INDIVIDUAL_DOCUMENT>
<TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT>
<NUMBER>A 1234567</NUMBER>
<ISSUING_COUNTRY>Iran</ISSUING_COUNTRY>
</INDIVIDUAL_DOCUMENT>
</INDIVIDUAL></INDIVIDUALS>
<ENTITIES><ENTITY>
<DATAID>6900002</DATAID><FIRST_NAME>QUILLON TRADING</FIRST_NAME><UN_LIST_TYPE>DPRK</UN_LIST_TYPE>
<ENTITY_ALIAS><QUALITY>a.k.a.</QUALITY><ALIAS_NAME>Quillon Exports</ALIAS_NAME></ENTITY_ALIAS>
</ENTITY></ENTITIES>
</CONSOLIDATED_LIST>
"""
EU = """<?xml version="1.0" encoding="UTF-8"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export"
generationDate="2026-02-26T18:00:00.000+01:00" globalFileId="1">
<sanctionEntity euReferenceNumber="EU.1.23" logicalId="13">
<remark>Member of nothing.</remark><regulation programme="IRN"/>
<subjectType code="person" classificationCode="P"/>
<nameAlias firstName="Ana" middleName="" lastName="Pérez-Ñakar" wholeName="Ana Pérez-Ñakar"
function="Minister" strong="true" logicalId="1"/>
<nameAlias wholeName="Anita" function="" strong="false" logicalId="2"/>
<citizenship countryIso2Code="IR" countryDescription="IRAN"/>
<birthdate circa="false" birthdate="1937-04-28" dayOfMonth="28" monthOfYear="4" year="1937"
countryIso2Code="00"/>
<birthdate circa="true" year="1936" countryIso2Code="00"/>
<identification number="P-765432" identificationTypeCode="passport"
identificationTypeDescription="National passport" countryIso2Code="IR"/>
<address street="1 Example Road" city="Nowhere" countryIso2Code="SY"/>
</sanctionEntity>
<sanctionEntity logicalId="14"><regulation programme="SYR"/>
<subjectType code="enterprise" classificationCode="E"/>
<nameAlias wholeName="Vortexa Holdings" strong="true" logicalId="3"/></sanctionEntity>
</export>
"""
UK_NAMES = (
    "Name 6,Name 1,Name 2,Title,Name Non-Latin Script,DOB,Country of Birth,Nationality,"
    "Passport Number,National Identification Number,Position,Address 1,Country,Other Information,"
    "Group Type,Alias Type,Alias Quality,Regime,Group ID\r\n"
)
UK = (
    "Last Updated,25/02/2026\r\n"
    + UK_NAMES
    + "ZARQUON,EBRAHIM,,,,,,,,,,,,,Individual,AKA,Good quality,Counter Terrorism,700\r\n"
    "ZARQUONIAN,IBRAHIM,TOLVEK,Dr,Заркуонян,(1) 10/03/1970 (2) 00/00/1969,Iran,(1) Iran (2) Iraq,"
    "(1) A1234567 (2) B7654321,009-887766,Commander,1 Example Road,Syria,Moves money.,Individual,"
    "Primary Name,,Counter Terrorism,700\r\n"
    "BUTCHER,,,,,,,,,,,,,,Individual,AKA,Low quality,Counter Terrorism,700\r\n"
    "BRINE STAR,,,,,,,,,,,,,,Ship,Primary Name,,North Korea,701\r\n"
)
PEP = (
    "id,name,aliases,birth_dates,countries,numbers,position,remarks\r\n"
    '1,"Ibrahim Tolvek Zarquonian","Ebrahim Zarquon; Ibo Zarquon",1970-03-10; 1969,IR;Iraq,'
    "A1234567,Minister of Nothing,Since 2019.\r\n"
    "2,Grace Quorndon,,,,,,\r\n"
)
TEXTS = {ListCode.UN: UN, ListCode.EU: EU, ListCode.UK: UK, ListCode.PEP: PEP}


def write_list(folder, code, text=None):
    """Write the file of a list, and return its path."""
    path = (
        folder / f"{code.value.lower()}.{'csv' if code in {ListCode.UK, ListCode.PEP} else 'xml'}"
    )
    path.write_text(TEXTS[code] if text is None else text, encoding="utf-8", newline="")
    return path


def load_other(folder, code, text=None, *, at=NOON, **options):
    """Load a list that is not OFAC's."""
    return sanctions.load_list(write_list(folder, code, text), code=code, at=at, **options)
