"""Industries, for who does not know the NAICS code of a business.

Source: NAICS 2022, its sectors; of one with several numbers the first.
"""

from django.utils.translation import gettext_lazy as _

SECTORS = (
    ("11", _("Agriculture, forestry, fishing and hunting")),
    ("21", _("Mining, oil and gas")),
    ("22", _("Utilities")),
    ("23", _("Construction")),
    ("31", _("Manufacturing")),
    ("42", _("Wholesale trade")),
    ("44", _("Retail trade")),
    ("48", _("Transportation and warehousing")),
    ("51", _("Information")),
    ("52", _("Finance and insurance")),
    ("53", _("Real estate, rental and leasing")),
    ("54", _("Professional, scientific and technical services")),
    ("55", _("Management of companies")),
    ("56", _("Administrative and support services, waste management")),
    ("61", _("Education")),
    ("62", _("Health care and social assistance")),
    ("71", _("Arts, entertainment and recreation")),
    ("72", _("Hotels, restaurants and other food services")),
    ("81", _("Other services")),
    ("92", _("Public administration")),
)
