"""What partners send, every value a reserved one."""

import base64

PDF = b"%PDF-1.7\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\n%%EOF\n"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 64


def document_data(file=PDF, **values):
    """Return a document as a partner sends it."""
    return {
        "content": base64.b64encode(file).decode(),
        "contentType": "application/pdf",
        "fileName": "letter.pdf",
        **values,
    }


def lead_body(**values):
    """Return a body of create in which every field of the contract is set."""
    address = {
        "line1": "2 Cobol Street",
        "line2": "Floor 3",
        "city": "Arlington",
        "state": "VA",
        "postalCode": "22201",
        "country": "US",
    }
    body = {
        "email": "ada@example.com",
        "phoneNumber": "+12025550123",
        "ssn": "123-45-6789",
        "birthDate": "1985-12-10",
        "firstName": "Ada",
        "lastName": "Example",
        "line1": "1 Analytical Way",
        "line2": "Suite 400",
        "city": "New York",
        "state": "NY",
        "country": "US",
        "postalCode": "10001",
        "ein": "12-3456789",
        "businessName": "Analytical Engines LLC",
        "businessAddress": address,
        "mailingAddress": {**address, "line1": "PO Box 12"},
        "businessType": "MMLLC",
        "incorporationState": "DE",
        "uniqueId": "crm-1",
        "duns": "123456789",
        "passportNumber": "X12345678",
        "idGovNumber": "A-99887766",
        "idCountry": "US",
        "idExpirationDate": "2031-01-01",
        "ownershipPercent": 40,
        "documentUrls": ["https://files.example.com/a.pdf"],
        "documentDataList": [document_data(llcFileType="IRS_EIN_LETTER")],
        "uboList": [
            {
                "email": "grace@example.com",
                "phoneNumber": "+12025550124",
                "ssn": "223-45-6789",
                "birthDate": "1976-01-01",
                "firstName": "Grace",
                "lastName": "Example",
                "role": "PARTNER",
                "ownershipPercent": 30.5,
                "address": address,
            },
            {
                "email": "alan@example.com",
                "firstName": "Alan",
                "passportNumber": "P98765432",
                "idGovNumber": "G-11223344",
                "idCountry": "GB",
                "idExpirationDate": "2030-05-05",
                "role": "PARTNER_FULL_ACCESS",
                "ownershipPercent": 29.5,
            },
        ],
        "naicsCode": "541511",
        "campaign": "spring-26",
        "metadata": {"channel": "web", "tier": "gold"},
        "eddQuestionData": [
            {"question": "Expected monthly volume?", "answer": "50000", "questionId": "q1"},
            {"question": "Source of funds?", "answer": "Sales"},
        ],
        "isControlPerson": True,
        "title": "CEO",
    }
    return {**body, **values}
