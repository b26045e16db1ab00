"""What a business owes in taxes, against values worked by hand from the published tables.

Sources of the federal figures: Rev. Proc. 2024-40 (2025) and 2025-32 (2026); Public Law 119-21 for
the standard deduction of 2025 and the deduction of business income from 2026; 26 U.S.C. 199A, 1401
and 1402; the SSA's wage bases of 176,100 and 184,500. Those of the states stand beside them in
`banking/tax/data/`. Amounts in the comments are dollars.
"""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banking.choices import BusinessType, FilingStatus
from banking.tax.estimate import SELF_EMPLOYED, estimate_taxes
from banking.tax.tables import NoStateTable, NoTaxTables, read_file

SINGLE, JOINT, HEAD = FilingStatus.SINGLE, FilingStatus.JOINT, FilingStatus.HEAD_OF_HOUSEHOLD
LLC, S_CORP, C_CORP = BusinessType.LLC, BusinessType.S_CORP, BusinessType.C_CORP
YEARS = [2025, 2026]
STATES = sorted(read_file("states", 2026)["states"])
UNTAXED = ["AK", "FL", "NH", "NV", "SD", "TN", "TX", "WA", "WY"]

AMOUNTS = st.integers(min_value=0, max_value=3_000_000_00)
CASES = st.fixed_dictionaries(
    {
        "year": st.sampled_from(YEARS),
        "business_type": st.sampled_from(BusinessType),
        "state": st.sampled_from(STATES),
        "filing_status": st.sampled_from(FilingStatus),
    }
)


def estimate(dollars, *, year=2026, business_type=LLC, state="TX", filing_status=SINGLE):
    """Estimate the taxes on a profit in whole dollars; Texas has no tax of its own."""
    return estimate_taxes(
        income_cents=dollars * 100,
        deductibles_cents=0,
        year=year,
        business_type=business_type,
        state=state,
        filing_status=filing_status,
    )


def federal(dollars, **case):
    """Return the federal income tax and the self-employment tax in cents."""
    estimated = estimate(dollars, **case)
    return estimated.federal_income_tax_cents, estimated.self_employment_tax_cents


def state_cents(dollars, state, *, business_type=S_CORP, **case):
    """Return the state's tax; without self-employment tax the adjusted income is the profit."""
    return estimate(dollars, business_type=business_type, state=state, **case).state_tax_cents


# Federal taxes


def test_2025_single_low():
    # earnings    12,000 x 92.35 %                      = 11,082.00
    # SE tax      11,082.00 x 15.3 %                    =  1,695.546
    # taxable     12,000 - 847.773 - 15,750             <  0
    assert federal(12_000, year=2025) == (0, 1_695_55)


def test_2025_single_middle():
    # earnings    50,000 x 92.35 %                      = 46,175.00
    # SE tax      46,175.00 x 15.3 %                    =  7,064.775, half 3,532.3875
    # before QBI  50,000 - 3,532.3875 - 15,750          = 30,717.6125
    # QBI         20 % x 30,717.6125 (< 20 % of 46,467.6125) = 6,143.5225
    # taxable     30,717.6125 - 6,143.5225              = 24,574.09
    # tax         1,192.50 + 12 % x (24,574.09 - 11,925) = 1,192.50 + 1,517.8908 = 2,710.3908
    assert federal(50_000, year=2025) == (2_710_39, 7_064_78)


def test_2025_joint_middle():
    # earnings    120,000 x 92.35 %                     = 110,820.00
    # SE tax      110,820.00 x 15.3 %                   =  16,955.46, half 8,477.73
    # before QBI  120,000 - 8,477.73 - 31,500           =  80,022.27
    # taxable     80 % of it                            =  64,017.816
    # tax         2,385 + 12 % x (64,017.816 - 23,850)  = 2,385 + 4,820.13792 = 7,205.13792
    assert federal(120_000, year=2025, filing_status=JOINT) == (7_205_14, 16_955_46)


def test_2025_head_of_household():
    # earnings    80,000 x 92.35 %                      = 73,880.00
    # SE tax      73,880.00 x 15.3 %                    = 11,303.64, half 5,651.82
    # before QBI  80,000 - 5,651.82 - 23,625            = 50,723.18
    # taxable     80 % of it                            = 40,578.544
    # tax         1,700 + 12 % x (40,578.544 - 17,000)  = 1,700 + 2,829.42528 = 4,529.42528
    assert federal(80_000, year=2025, filing_status=HEAD) == (4_529_43, 11_303_64)


def test_2025_single_in_the_phase_in_and_above_the_wage_base():
    # earnings    250,000 x 92.35 %                     = 230,875.00
    # SE tax      176,100 x 12.4 % = 21,836.40; 230,875 x 2.9 % = 6,695.375; half 14,265.8875
    # additional  30,875 x 0.9 %                        =     277.875; together 28,809.65
    # before QBI  250,000 - 14,265.8875 - 15,750        = 219,984.1125
    # phase-in    (219,984.1125 - 197,300) / 50,000     =       0.45368225, left 0.54631775
    # QBI         20 % x 235,734.1125 x 0.54631775      =  25,757.145988
    # taxable     219,984.1125 - 25,757.145988          = 194,226.966512
    # tax         17,651 + 24 % x (194,226.966512 - 103,350) = 17,651 + 21,810.471963
    assert federal(250_000, year=2025) == (39_461_47, 28_809_65)


def test_2025_single_above_the_phase_in():
    # earnings    300,000 x 92.35 %                     = 277,050.00
    # SE tax      21,836.40 + 277,050 x 2.9 % = 8,034.45: 29,870.85, half 14,935.425
    # additional  77,050 x 0.9 %                        =     693.45; together 30,564.30
    # taxable     300,000 - 14,935.425 - 15,750         = 269,314.575, above 247,300: no QBI
    # tax         57,231 + 35 % x (269,314.575 - 250,525) = 57,231 + 6,576.35125
    assert federal(300_000, year=2025) == (63_807_35, 30_564_30)


def test_2026_single_middle():
    # earnings    60,000 x 92.35 %                      = 55,410.00
    # SE tax      55,410.00 x 15.3 %                    =  8,477.73, half 4,238.865
    # before QBI  60,000 - 4,238.865 - 16,100           = 39,661.135
    # taxable     80 % of it                            = 31,728.908
    # tax         1,240 + 12 % x (31,728.908 - 12,400)  = 1,240 + 2,319.46896 = 3,559.46896
    assert federal(60_000) == (3_559_47, 8_477_73)


def test_2026_single_with_the_least_deduction_of_business_income():
    # earnings    19,000 x 92.35 %                      = 17,546.50
    # SE tax      17,546.50 x 15.3 %                    =  2,684.6145, half 1,342.30725
    # before QBI  19,000 - 1,342.30725 - 16,100         =  1,557.69275
    # QBI         20 % of it is 311.54, less than 400   =    400.00
    # tax         10 % x 1,157.69275                    =    115.769275
    assert federal(19_000) == (115_77, 2_684_61)


def test_2026_head_of_household():
    # earnings    100,000 x 92.35 %                     = 92,350.00
    # SE tax      92,350.00 x 15.3 %                    = 14,129.55, half 7,064.775
    # before QBI  100,000 - 7,064.775 - 24,150          = 68,785.225
    # taxable     80 % of it                            = 55,028.18
    # tax         1,770 + 12 % x (55,028.18 - 17,700)   = 1,770 + 4,479.3816 = 6,249.3816
    assert federal(100_000, filing_status=HEAD) == (6_249_38, 14_129_55)


def test_2026_single_in_the_phase_in():
    # earnings    240,000 x 92.35 %                     = 221,640.00
    # SE tax      184,500 x 12.4 % = 22,878; 221,640 x 2.9 % = 6,427.56; half 14,652.78
    # additional  21,640 x 0.9 %                        =     194.76; together 29,500.32
    # before QBI  240,000 - 14,652.78 - 16,100          = 209,247.22
    # phase-in    (209,247.22 - 201,750) / 75,000       =       0.0999629333, left 0.9000370667
    # QBI         20 % x 225,347.22 x 0.9000370667      =  40,564.170174
    # taxable     209,247.22 - 40,564.170174            = 168,683.049826
    # tax         17,966 + 24 % x (168,683.049826 - 105,700) = 17,966 + 15,115.931958
    assert federal(240_000) == (33_081_93, 29_500_32)


def test_2026_joint_in_the_phase_in_and_above_the_wage_base():
    # earnings    500,000 x 92.35 %                     = 461,750.00
    # SE tax      22,878 + 461,750 x 2.9 % = 13,390.75: 36,268.75, half 18,134.375
    # additional  (461,750 - 250,000) x 0.9 %           =   1,905.75; together 38,174.50
    # before QBI  500,000 - 18,134.375 - 32,200         = 449,665.625
    # phase-in    (449,665.625 - 403,500) / 150,000     =       0.3077708333, left 0.6922291667
    # QBI         20 % x 481,865.625 x 0.6922291667     =  66,712.288008
    # taxable     449,665.625 - 66,712.288008           = 382,953.336992
    # tax         35,932 + 24 % x (382,953.336992 - 211,400) = 35,932 + 41,172.800878
    assert federal(500_000, filing_status=JOINT) == (77_104_80, 38_174_50)


def test_earnings_under_400_dollars_pay_no_self_employment_tax():
    # 433 x 92.35 % = 399.8755; 434 x 92.35 % = 400.799, x 15.3 % = 61.322247
    assert federal(433) == (0, 0)
    assert federal(434) == (0, 61_32)


def test_an_s_corporation_passes_its_profit_through_without_self_employment_tax():
    # before QBI  100,000 - 16,100                      = 83,900
    # taxable     80 % of it                            = 67,120
    # tax         5,800 + 22 % x (67,120 - 50,400)      = 5,800 + 3,678.40 = 9,478.40
    assert federal(100_000, business_type=S_CORP) == (9_478_40, 0)


def test_a_c_corporation_pays_21_percent_and_its_state_tax_is_said_to_be_left_out():
    estimated = estimate(100_000, business_type=C_CORP, state="CA")

    assert estimated.federal_income_tax_cents == 21_000_00
    assert estimated.self_employment_tax_cents == estimated.state_tax_cents == 0
    assert estimated.estimated_rate_for_next_deductible == Decimal("0.2100")
    assert estimated.notes == ("CA: The state's tax on corporations is left out.",)


@pytest.mark.parametrize("business_type", sorted(SELF_EMPLOYED))
def test_who_is_no_corporation_is_taxed_like_the_sole_proprietor(business_type):
    sole = estimate(90_000, business_type=BusinessType.SSN, state="CA")

    assert estimate(90_000, business_type=business_type, state="CA") == sole
    assert sole.self_employment_tax_cents > 0


# The taxes of the states


def test_states_without_an_income_tax_add_nothing():
    assert {state: state_cents(500_000, state) for state in UNTAXED} == dict.fromkeys(UNTAXED, 0)


@pytest.mark.parametrize(
    ("year", "cents"),
    [
        # 2.5 % x (100,000 - 15,750) = 2,106.25
        (2025, 2_106_25),
        # 2.5 % x (100,000 - 16,100) = 2,097.50
        (2026, 2_097_50),
    ],
)
def test_arizona_is_flat_above_the_federal_standard_deduction(year, cents):
    assert state_cents(100_000, "AZ", year=year) == cents


@pytest.mark.parametrize(
    ("year", "filing_status", "cents"),
    [
        # 5.19 % x (100,000 - 12,000) = 4,567.20; joint: 5.19 % x (100,000 - 24,000) = 3,944.40
        (2025, SINGLE, 4_567_20),
        (2025, JOINT, 3_944_40),
        # 4.99 % x (100,000 - 15,000) = 4,241.50; joint: 4.99 % x (100,000 - 30,000) = 3,493.00
        (2026, SINGLE, 4_241_50),
        (2026, JOINT, 3_493_00),
    ],
)
def test_georgia_is_flat(year, filing_status, cents):
    assert state_cents(100_000, "GA", year=year, filing_status=filing_status) == cents


def test_california_has_nine_brackets_and_a_credit():
    # taxable     100,000 - 5,706                       = 94,294
    # tax         110.79 + 2 % x 15,185 = 303.70 + 4 % x 15,188 = 607.52 + 6 % x 16,090 = 965.40
    #             + 8 % x 15,182 = 1,214.56 + 9.3 % x (94,294 - 72,724) = 2,006.01: 5,207.98
    # credit      153                                   -> 5,054.98
    assert state_cents(100_000, "CA", year=2025) == 5_054_98


def test_california_deducts_half_of_the_self_employment_tax():
    # adjusted    50,000 - 3,532.3875                   = 46,467.6125 (as above)
    # taxable     46,467.6125 - 5,706                   = 40,761.6125
    # tax         110.79 + 303.70 + 4 % x (40,761.6125 - 26,264) = 579.9045: 994.3945 - 153
    assert state_cents(50_000, "CA", business_type=LLC, year=2025) == 841_39


def test_california_takes_a_point_more_above_a_million():
    # taxable     1,505,706 - 5,706 = 1,500,000; the next hundred dollars: 12.3 % + 1 %
    high, higher = (state_cents(dollars, "CA", year=2025) for dollars in (1_505_706, 1_505_806))

    assert higher - high == 13_30


@pytest.mark.parametrize(
    ("year", "cents"),
    [
        # taxable 100,000 - 8,000 = 92,000
        # 4 % x 8,500 = 340 + 4.5 % x 3,200 = 144 + 5.25 % x 2,200 = 115.50
        # + 5.5 % x 66,750 = 3,671.25 + 6 % x 11,350 = 681: 4,951.75
        (2025, 4_951_75),
        # 3.9 % x 8,500 = 331.50 + 4.4 % x 3,200 = 140.80 + 5.15 % x 2,200 = 113.30
        # + 5.4 % x 66,750 = 3,604.50 + 5.9 % x 11,350 = 669.65: 4,859.75
        (2026, 4_859_75),
    ],
)
def test_new_york_has_brackets(year, cents):
    assert state_cents(100_000, "NY", year=year) == cents


def test_new_york_for_a_head_of_household():
    # taxable     60,000 - 11,200                       = 48,800
    # tax         4 % x 12,800 = 512 + 4.5 % x 4,850 = 218.25 + 5.25 % x 3,250 = 170.625
    #             + 5.5 % x (48,800 - 20,900) = 1,534.50: 2,435.375
    assert state_cents(60_000, "NY", year=2025, filing_status=HEAD) == 2_435_38


def test_new_york_recaptures_the_lower_rates_from_high_incomes():
    # taxable     150,000 - 8,000                       = 142,000
    # tax         4,270.75 on 80,650 + 6 % x 61,350 = 3,681: 7,951.75
    # recapture   (6 % x 80,650 - 4,270.75) x (150,000 - 107,650) / 50,000
    #             568.25 x 0.847                        = 481.30775
    assert state_cents(150_000, "NY", year=2025) == 8_433_06


def test_connecticut_gives_a_tenth_of_the_tax_back_to_middle_incomes():
    # tax         200 + 4.5 % x 40,000                  = 2,000, the exemption is gone at 45,000
    # credit      10 % of it                            -> 1,800
    assert state_cents(50_000, "CT", year=2025) == 1_800_00


def test_connecticut_recaptures_the_lower_rates_from_high_incomes():
    # tax         2 % x 20,000 = 400 + 4.5 % x 80,000 = 3,600 + 5.5 % x 100,000 = 5,500
    #             + 6 % x 100,000 = 6,000: 15,500
    # surcharges  500 + 500 x (300,000 - 210,000) / 100,000 = 950
    assert state_cents(300_000, "CT", year=2025, filing_status=JOINT) == 16_450_00


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize(
    ("dollars", "cents"),
    [
        # 250,000 deducted and an exemption of 1,900: 3 % x (300,000 - 251,900) = 1,443
        (26_050, 0),
        (26_051, 0),
        (251_900, 0),
        (300_000, 1_443_00),
    ],
)
def test_ohio_taxes_business_income_above_a_quarter_million(year, dollars, cents):
    assert state_cents(dollars, "OH", year=year) == cents


def test_alabama_deducts_the_federal_income_tax():
    # federal     (60,000 - 15,750) x 80 % = 35,400; 1,192.50 + 12 % x 23,475 = 4,009.50
    # taxable     60,000 - 2,500 - 1,500 - 4,009.50     = 51,990.50
    # tax         10 + 100 + 5 % x (51,990.50 - 3,000) = 2,449.525: 2,559.525
    assert state_cents(60_000, "AL", year=2025) == 2_559_53


def test_alabama_lowers_the_standard_deduction_with_the_income():
    # falls       from 3,000 at 25,500 to 2,500 at 35,500: at 30,500 it is 2,750
    # federal     (30,500 - 15,750) x 80 % = 11,800; 10 % = 1,180
    # taxable     30,500 - 2,750 - 1,500 - 1,180        = 25,070
    # tax         110 + 5 % x 22,070 = 1,103.50         = 1,213.50
    assert state_cents(30_500, "AL", year=2025) == 1_213_50


def test_alabama_lets_the_self_employed_itemize_their_tax():
    # federal     2,710.3908, self-employment tax 7,064.775 (as above), more than 2,500
    # taxable     50,000 - 7,064.775 - 1,500 - 2,710.3908 = 38,724.8342
    # tax         110 + 5 % x 35,724.8342 = 1,786.24171 = 1,896.24171
    assert state_cents(50_000, "AL", business_type=LLC, year=2025) == 1_896_24


def test_pennsylvania_deducts_nothing():
    # 3.07 % x 50,000 = 1,535
    assert state_cents(50_000, "PA", business_type=LLC) == 1_535_00


def test_north_dakota_starts_from_federal_taxable_income():
    # taxable     (100,000 - 15,750) x 80 %             = 67,400
    # tax         1.95 % x (67,400 - 48,475)            = 369.0375
    assert state_cents(100_000, "ND", year=2025) == 369_04


def test_missouri_leaves_a_fifth_of_business_income_untaxed():
    # taxable     80 % x 100,000 - 15,750               = 64,250
    # tax         1,313 x (2 + 2.5 + 3 + 3.5 + 4 + 4.5) % = 256.035
    #             + 4.7 % x (64,250 - 9,191) = 2,587.773: 2,843.808
    assert state_cents(100_000, "MO", year=2025) == 2_843_81


def test_oregon_deducts_a_limited_part_of_the_federal_income_tax():
    # federal     (100,000 - 15,750) x 80 % = 67,400; 5,578.50 + 22 % x 18,925 = 9,742 > 8,500
    # taxable     100,000 - 2,835 - 8,500               = 88,665
    # tax         4.75 % x 4,400 = 209 + 6.75 % x 6,700 = 452.25 + 8.75 % x 77,565 = 6,786.9375
    # credit      256                                   -> 7,192.1875
    assert state_cents(100_000, "OR", year=2025) == 7_192_19


def test_south_carolina_phases_out_its_deduction_in_2026():
    # deduction   15,000 x (95,000 - 60,000) / 55,000   = 9,545.454545
    # taxable     60,000 - 9,545.454545                 = 50,454.545455
    # tax         1.99 % x 30,000 = 597 + 5.21 % x 20,454.545455 = 1,065.681818: 1,662.681818
    assert state_cents(60_000, "SC", year=2026) == 1_662_68


def test_utah_phases_out_its_credit():
    # credit      6 % x 16,100 = 966, falls by 1.3 % of what exceeds 18,213 until 92,521
    #             966 x (92,521 - 60,000) / 74,308      = 422.7737
    # tax         4.45 % x 60,000 = 2,670 - 422.7737    = 2,247.2263
    assert state_cents(60_000, "UT", year=2026) == 2_247_23


def test_minnesota_lowers_its_standard_deduction_in_two_steps():
    # deduction   14,950 - 3 % x 91,350 = 2,740.50 - 10 % x (380,300 - 330,300) = 5,000: 7,209.50
    # taxable     380,300 - 7,209.50                    = 373,090.50
    # tax         5.35 % x 32,570 = 1,742.495 + 6.8 % x 74,420 = 5,060.56
    #             + 7.85 % x 91,640 = 7,193.74 + 9.85 % x 174,460.50 = 17,184.35925: 31,181.15425
    assert state_cents(380_300, "MN", year=2025) == 31_181_15


# Losses, the next deductible, refusals


@pytest.mark.parametrize(("income", "deductibles"), [(0, 0), (100, 200), (-50, 0), (700, 700)])
@pytest.mark.parametrize("business_type", BusinessType)
def test_no_profit_is_no_tax(income, deductibles, business_type):
    estimated = estimate_taxes(
        income_cents=income,
        deductibles_cents=deductibles,
        year=2026,
        business_type=business_type,
        state="PA",
    )

    assert estimated.total_cents == 0
    assert estimated.estimated_rate_for_next_deductible == Decimal("0.0000")
    assert (estimated.income_cents, estimated.deductibles_cents) == (income, deductibles)


def test_deductibles_lower_the_income_that_is_taxed():
    whole = estimate(60_000, state="CA")

    lowered = estimate_taxes(
        income_cents=75_000_00,
        deductibles_cents=15_000_00,
        year=2026,
        business_type=LLC,
        state="CA",
    )

    assert lowered.total_cents == whole.total_cents


@pytest.mark.parametrize(
    ("dollars", "rate"),
    [
        # 80 % x (79,100 - 16,100) = 50,400, where 12 % ends and 22 % begins
        (79_100, "0.0960"),  # 12 % x 80 %
        (79_150, "0.1360"),  # 50 dollars at 17.6 %, 50 at 9.6 %
        (79_200, "0.1760"),  # 22 % x 80 %
    ],
)
def test_the_rate_for_the_next_deductible_at_a_border(dollars, rate):
    estimated = estimate(dollars, business_type=S_CORP)

    assert estimated.estimated_rate_for_next_deductible == Decimal(rate)


def test_the_rate_for_the_next_deductible_of_the_self_employed():
    # of a dollar, 92.35 % x 15.3 % = 0.1412955 self-employment tax, and of the rest after half of
    # it, 0.92935225: 12 % x 80 % = 0.0892178 income tax, and 5.4 % = 0.0501850 to New York
    estimated = estimate(60_000, state="NY", year=2026)

    assert estimated.estimated_rate_for_next_deductible == Decimal("0.2807")


def test_the_rate_for_the_next_deductible_of_a_profit_under_a_hundred_dollars():
    assert estimate(40, state="PA").estimated_rate_for_next_deductible == Decimal("0.0307")


def test_an_estimate_names_its_sources():
    estimated = estimate(60_000, state="CA")

    assert estimated.sources[0].startswith("IRS Rev. Proc. 2025-32")
    assert estimated.sources[-1].startswith("CA: California FTB")
    assert estimated.notes[-1] == "CA: The figures are those of 2025."


def test_a_year_without_tables_is_estimated_by_the_last_ones_and_says_so():
    estimated, last = estimate(60_000, year=2027, state="CA"), estimate(60_000, state="CA")

    assert (estimated.year, estimated.tables_year) == (2027, 2026)
    assert estimated.total_cents == last.total_cents > 0
    assert estimated.notes == (
        "There are no tax tables of 2027 yet; those of 2026 are used.",
        *last.notes,
    )
    assert (last.year, last.tables_year) == (2026, 2026)


def test_an_estimate_for_a_year_before_all_tables_is_refused():
    with pytest.raises(NoTaxTables, match="2025, 2026"):
        estimate(60_000, year=2024)


@pytest.mark.parametrize("business_type", [LLC, C_CORP])
def test_an_estimate_for_an_unknown_state_is_refused(business_type):
    with pytest.raises(NoStateTable):
        estimate(60_000, state="GU", business_type=business_type)


# What holds for all


@given(case=CASES, profit=AMOUNTS, more=st.integers(min_value=1, max_value=50_000_00))
def test_more_income_never_lowers_a_tax(case, profit, more):
    less, greater = (
        estimate_taxes(income_cents=income, deductibles_cents=0, **case)
        for income in (profit, profit + more)
    )

    assert less.federal_income_tax_cents <= greater.federal_income_tax_cents
    assert less.self_employment_tax_cents <= greater.self_employment_tax_cents
    assert less.state_tax_cents <= greater.state_tax_cents


@given(case=CASES, income=AMOUNTS, deductibles=AMOUNTS)
def test_taxes_are_whole_cents_that_add_up_and_never_negative(case, income, deductibles):
    estimated = estimate_taxes(income_cents=income, deductibles_cents=deductibles, **case)

    parts = (
        estimated.federal_income_tax_cents,
        estimated.self_employment_tax_cents,
        estimated.state_tax_cents,
    )
    assert all(type(part) is int and part >= 0 for part in parts)
    assert estimated.total_cents == sum(parts)
    assert estimated.total_cents <= max(0, income - deductibles)


@given(case=CASES, profit=AMOUNTS)
def test_the_rate_for_the_next_deductible_is_what_the_taxes_fall_by(case, profit):
    now = estimate_taxes(income_cents=profit, deductibles_cents=0, **case)

    after = estimate_taxes(income_cents=profit, deductibles_cents=100_00, **case)

    saved = now.total_cents - after.total_cents
    expected = Decimal(saved) / (min(profit, 100_00) or 1)
    within = Decimal(6) / (min(profit, 100_00) or 1) + Decimal("0.00005")
    assert abs(now.estimated_rate_for_next_deductible - expected) <= within
