"""Request examples of the OpenAPI document. All values are reserved or invented."""

from drf_spectacular.utils import OpenApiExample

LETTER = {
    "content": "JVBERi0xLjcKMSAwIG9iago8PCA+PgplbmRvYmoKdHJhaWxlcgo8PCA+PgolJUVPRgo=",
    "contentType": "application/pdf",
    "fileName": "ein-letter.pdf",
    "llcFileType": "IRS_EIN_LETTER",
}
NEW_LEAD = OpenApiExample(
    "A single-member LLC",
    {
        "email": "ada@example.com",
        "phoneNumber": "+12025550123",
        "firstName": "Ada",
        "lastName": "Example",
        "ssn": "123-45-6789",
        "birthDate": "1985-12-10",
        "line1": "1 Analytical Way",
        "city": "New York",
        "state": "NY",
        "postalCode": "10001",
        "country": "US",
        "ein": "12-3456789",
        "businessName": "Analytical Engines LLC",
        "businessType": "LLC",
        "businessAddress": {
            "line1": "2 Cobol Street",
            "city": "Arlington",
            "state": "VA",
            "postalCode": "22201",
            "country": "US",
        },
        "incorporationState": "DE",
        "naicsCode": "541511",
        "uniqueId": "crm-1",
        "ownershipPercent": 60,
        "uboList": [
            {
                "email": "grace@example.com",
                "firstName": "Grace",
                "lastName": "Example",
                "role": "PARTNER",
                "ownershipPercent": 40,
            }
        ],
        "metadata": {"channel": "web"},
    },
    request_only=True,
)
UPDATE = OpenApiExample(
    "A new address and one more owner",
    {
        "email": "ada@example.com",
        "line1": "3 Difference Street",
        "line2": None,
        "uboList": [{"email": "alan@example.com", "firstName": "Alan", "lastName": "Example"}],
    },
    request_only=True,
)
CHANGE = OpenApiExample(
    "Another address and one more owner",
    {
        "businessAddress": {
            "line1": "4 Compiler Avenue",
            "city": "Arlington",
            "state": "VA",
            "postalCode": "22201",
            "country": "US",
        },
        "uboList": [
            {
                "email": "alan@example.com",
                "firstName": "Alan",
                "lastName": "Example",
                "ownershipPercent": 25,
            }
        ],
        "reason": "The business has moved, and a partner has joined.",
    },
    request_only=True,
)
UPLOAD = OpenApiExample(
    "One PDF file", {"documentDataList": [LETTER]}, request_only=True
)  # fmt: skip
NEW_WEBHOOK = OpenApiExample(
    "Everything that happens",
    {"serverUrl": "https://hooks.example.com/vestibule", "description": "Production"},
    request_only=True,
)
WEBHOOK_UPDATE = OpenApiExample(
    "Decisions only",
    {
        "eventTypes": ["application.approved", "application.denied", "account.opened"],
        "status": "ACTIVE",
    },
    request_only=True,
)
RECOVERY = OpenApiExample(
    "An outage of three hours",
    {"since": "2026-01-01T09:00:00Z", "until": "2026-01-01T12:00:00Z"},
    request_only=True,
)
APPEARANCE = OpenApiExample(
    "A page of your own",
    {
        "brandColor": "#0f5b6e",
        "font": "SERIF",
        "cornerRadius": 4,
        "embedOrigins": ["https://app.example.com", "http://localhost:9000"],
    },
    request_only=True,
)
REMINDERS = OpenApiExample("No reminders", {"isOn": False}, request_only=True)
A_DAY = OpenApiExample("A day", {"advanceSeconds": 86400}, request_only=True)
VERIFICATION = OpenApiExample(
    "The applicant's passport, compared in person",
    {
        "kind": "IDENTITY",
        "method": "IN_PERSON",
        "date": "2026-03-02",
        "reference": "kyc-2026-0077",
        "documentIds": ["01957f3e-0000-7000-8000-000000000001"],
    },
    request_only=True,
)
