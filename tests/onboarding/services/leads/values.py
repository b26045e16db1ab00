"""Values of leads that tests of several services send."""

from onboarding.models import Lead
from onboarding.services.documents.intake import inspect
from onboarding.uploads import Upload
from tests.factories import PDF

EMAIL = "ada@example.com"


def customer_id():
    return str(Lead.objects.get(email=EMAIL).external_id)


def incoming(content=PDF, **values):
    upload = Upload()
    upload.write(content)
    return inspect(upload, **{"content_type": "application/pdf", "file_name": "a.pdf", **values})
