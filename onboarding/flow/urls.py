"""URLs of the applicant's pages, and of those where a customer's owners ask for changes.

Steps have paths under a link and, in a frame, under the customer's id.
"""

from django.urls import include, path
from django.views.generic import RedirectView

from onboarding.flow import (
    change_requests,
    changes,
    connect,
    countries,
    frame,
    invitations,
    legal,
    owner_links,
    pages,
    phone,
    reminders,
    start,
    themes,
)
from onboarding.flow.steps import (
    business,
    documents,
    holders,
    owner_invitations,
    owners,
    part,
    review,
    signed,
    status,
    you,
)

app_name = "flow"
steps = [
    path("language", pages.ChooseLanguage.as_view(), name="language"),
    path("stay", pages.Stay.as_view(), name="stay"),
    path("you", you.You.as_view(), name="you"),
    path("business", business.Business.as_view(), name="business"),
    path("owners", owners.Owners.as_view(), name="owners"),
    path("owners/add", owners.AddOwner.as_view(), name="add_owner"),
    path("owners/ask", owner_invitations.AskOwner.as_view(), name="ask_owner"),
    path("owners/holders/add", holders.AddHolder.as_view(), name="add_holder"),
    path("owners/holders/<uuid:holder_id>", holders.EditHolder.as_view(), name="holder"),
    path(
        "owners/holders/<uuid:holder_id>/remove",
        holders.RemoveHolder.as_view(),
        name="remove_holder",
    ),
    path("owners/control", owners.ControlPerson.as_view(), name="control"),
    path("owners/<uuid:owner_id>", owners.EditOwner.as_view(), name="owner"),
    path("owners/<uuid:owner_id>/remove", owners.RemoveOwner.as_view(), name="remove_owner"),
    path(
        "owners/<uuid:owner_id>/invitation",
        owner_invitations.Invitation.as_view(),
        name="invitation",
    ),
    path("owners/<uuid:owner_id>/code", owner_invitations.Prove.as_view(), name="prove"),
    path("owners/<uuid:owner_id>/remind", owner_invitations.Remind.as_view(), name="remind"),
    path(
        "owners/<uuid:owner_id>/ask-again", owner_invitations.AskAgain.as_view(), name="ask_again"
    ),
    path(
        "owners/<uuid:owner_id>/take-over", owner_invitations.TakeOver.as_view(), name="take_over"
    ),
    path("documents", documents.Documents.as_view(), name="documents"),
    path("documents/phone/<uuid:phone_id>", documents.Phone.as_view(), name="phone"),
    path("documents/<uuid:document_id>", documents.Preview.as_view(), name="document"),
    path("review", review.Review.as_view(), name="review"),
    path("review/code", review.Confirm.as_view(), name="confirm"),
    path("legal/<str:text>", legal.Legal.as_view(), name="legal"),
    path("status", status.Status.as_view(), name="status"),
    path("answers", status.Answers.as_view(), name="answers"),
    path("signed", signed.Signed.as_view(), name="signed"),
    path("signed.pdf", signed.SignedPdf.as_view(), name="signed_pdf"),
    path("withdraw", status.Withdraw.as_view(), name="withdraw"),
]
part_steps = [
    path("stay", pages.Stay.as_view(), name="stay"),
    path("details", part.Details.as_view(), name="details"),
    path("sign", part.Sign.as_view(), name="sign"),
    path("legal/<str:text>", part.PartLegal.as_view(), name="legal"),
    path("identification/phone/<uuid:phone_id>", part.OwnersPhone.as_view(), name="phone"),
    path("identification", part.Identification.as_view(), name="identification"),
    path("completed", part.Completed.as_view(), name="completed"),
    path("signed", part.PartSigned.as_view(), name="signed"),
    path("signed.pdf", part.PartSignedPdf.as_view(), name="signed_pdf"),
]
OWNER = "apply/owner/<str:owner_link>"
urlpatterns = [
    path(OWNER, owner_links.OwnerStart.as_view(), name="owner_start"),
    path(f"{OWNER}/code", owner_links.OwnerCode.as_view(), name="owner_code"),
    path(f"{OWNER}/renew", owner_links.OwnerRenew.as_view(), name="owner_renew"),
    path(f"{OWNER}/leave", owner_links.OwnerLeave.as_view(), name="owner_leave"),
    path(f"{OWNER}/", include((part_steps, "part"))),
    path(f"{OWNER}/<path:rest>", owner_links.nowhere),
    path("apply/phone/<str:token>", phone.PhoneStart.as_view(), name="phone_start"),
    path("apply/phone/<str:token>/photos", phone.PhonePhotos.as_view(), name="phone_photos"),
    path("apply/<str:link>", start.Start.as_view(), name="start"),
    path("apply/<str:link>/code", start.Code.as_view(), name="code"),
    path("apply/<str:link>/renew", start.Renew.as_view(), name="renew"),
    path("apply/<str:link>/leave", start.Leave.as_view(), name="leave"),
    path("apply/<str:link>/", RedirectView.as_view(pattern_name="flow:start")),
    path("apply/<str:link>/", include((steps, "hosted"))),
    path("apply/<str:link>/<path:rest>", start.nowhere),
    path("connect/v1/theme/<uuid:partner_id>.css", themes.theme, name="theme"),
    path("connect/v1/logo/<uuid:partner_id>", themes.logo, name="logo"),
    path("connect/v1/countries/<str:language>.json", countries.country_names, name="countries"),
    path("connect/v1/states/<str:language>.json", countries.state_names, name="states"),
    path("connect/v1/words/<str:language>.html", countries.session_words, name="session_words"),
    path("connect/v1/connect.js", connect.connect, name="connect"),
    path(
        "connect/v1/connect-<str:version>.js",
        connect.connect,
        {"is_pinned": True},
        name="pinned_connect",
    ),
    path("connect/v1/frame/<uuid:customer_id>", frame.shell, name="frame"),
    path("connect/v1/frame/<uuid:customer_id>/session", frame.exchange, name="exchange"),
    path("connect/v1/frame/<uuid:customer_id>/", include((steps, "embedded"))),
    path("reminders/owner/<str:token>", reminders.switch_owner, name="owner_reminders"),
    path("reminders/<str:token>", reminders.switch, name="reminders"),
    path("join/<str:invite_code>", invitations.Join.as_view(), name="join"),
    path("account/changes", changes.Changes.as_view(), name="changes"),
    path("account/changes/address", change_requests.ChangeAddress.as_view(), name="change_address"),
    path("account/changes/owners/add", change_requests.AddOwner.as_view(), name="new_owner"),
    path(
        "account/changes/owners/applicant",
        change_requests.ChangeApplicant.as_view(),
        name="change_applicant",
    ),
    path(
        "account/changes/owners/<uuid:owner_id>",
        change_requests.ChangeOwner.as_view(),
        name="change_owner",
    ),
    path(
        "account/changes/<uuid:case_id>/withdraw",
        changes.WithdrawChange.as_view(),
        name="withdraw_change",
    ),
]
