"""Service items: saved templates for lines of invoices."""

from banking.feed.plain import PlainKind
from banking.feed.registry import register
from banking.feed.schemas import BusinessId, Data, NotNegativeCents, Text
from banking.models import ServiceItem


class ServiceItemData(Data):
    """A saved template for a line of an invoice."""

    business: BusinessId
    name: Text
    description: Text = ""
    unit_price_cents: NotNegativeCents


register(
    PlainKind(
        "service-items", ServiceItemData, ServiceItem, shows=["svc_list_invoice_service_items"]
    )
)
