"""The paths of the pages around assistants, without a slash at their end."""

from django.urls import path, re_path
from django.views.i18n import set_language

from mcp_server.pages import (
    account,
    activity,
    add_factor,
    books,
    clients,
    connect,
    connected_assistants,
    connection_limits,
    enrolment,
    file_links,
    join_as_accountant,
    my_accountants,
    my_firm,
    papers,
    password_reset,
    passwords,
    referrals,
    second_factor,
    second_factor_reset,
    sign_in,
    sign_in_code,
    welcome,
)

urlpatterns = [
    path("sign-in", sign_in.SignIn.as_view(), name="sign_in"),
    path("sign-in/code", sign_in_code.EnterCode.as_view(), name="sign_in_code"),
    path("sign-out", sign_in.SignOut.as_view(), name="sign_out"),
    path("second-factor", second_factor.SecondFactor.as_view(), name="second_factor"),
    path("second-factor/confirm", enrolment.ConfirmEnrolment.as_view(), name="confirm_enrolment"),
    path("second-factor/app", add_factor.AddApp.as_view(), name="add_app"),
    path("second-factor/passkey", add_factor.AddPasskey.as_view(), name="add_passkey"),
    re_path(
        r"^second-factor/(?P<kind>app|passkey)/(?P<pk>[0-9]{1,18})/remove$",
        second_factor.RemoveFactor.as_view(),
        name="remove_factor",
    ),
    path("second-factor/<int:pk>/reset", second_factor_reset.reset, name="reset_second_factor"),
    path("password", passwords.ChangePassword.as_view(), name="password"),
    path("password-reset", password_reset.AskForReset.as_view(), name="password_reset"),
    path("password-reset/sent", password_reset.ResetSent.as_view(), name="password_reset_sent"),
    path("password-reset/done", password_reset.ResetDone.as_view(), name="password_reset_done"),
    path(
        "password-reset/<uidb64>/<token>",
        password_reset.ChooseNew.as_view(),
        name="password_reset_confirm",
    ),
    path("welcome/<uuid:uidb64>/<token>", welcome.Welcome.as_view(), name="welcome"),
    path("books", books.Books.as_view(), name="books"),
    path(
        "books/<uuid:statement_id>/<chosen>", books.DownloadBooks.as_view(), name="download_books"
    ),
    path("account", account.AccountHome.as_view(), name="account"),
    path("account/statements/<uuid:external_id>", papers.StatementFile.as_view(), name="statement"),
    path(
        "account/tax-statements/<uuid:external_id>",
        papers.TaxStatementFile.as_view(),
        name="tax_statement",
    ),
    path(
        "account/transactions/<uuid:transaction_id>/receipt",
        papers.ReceiptFile.as_view(),
        name="receipt",
    ),
    path("account/accountants", my_accountants.MyAccountants.as_view(), name="my_accountants"),
    path(
        "account/accountants/<int:pk>/end",
        my_accountants.EndClientAccess.as_view(),
        name="end_client_access",
    ),
    path(
        "account/accountants/invitations/<uuid:external_id>/send",
        my_accountants.SendInvitationAgain.as_view(),
        name="send_invitation_again",
    ),
    path(
        "account/accountants/invitations/<uuid:external_id>/withdraw",
        my_accountants.WithdrawInvitation.as_view(),
        name="withdraw_invitation",
    ),
    path(
        "clients/join/<uuid:external_id>/<token>",
        join_as_accountant.Join.as_view(),
        name="join_as_accountant",
    ),
    path(
        "clients/<uuid:external_id>/accept",
        clients.AcceptInvitation.as_view(),
        name="accept_invitation",
    ),
    path(
        "clients/<uuid:external_id>/decline",
        clients.DeclineInvitation.as_view(),
        name="decline_invitation",
    ),
    path("clients", clients.Clients.as_view(), name="clients"),
    path("clients/terms", clients.AcceptTerms.as_view(), name="accept_terms"),
    path("clients/firm", my_firm.MyFirm.as_view(), name="my_firm"),
    path(
        "clients/firm/people/<int:pk>/manager", my_firm.MakeManager.as_view(), name="make_manager"
    ),
    path("clients/firm/people/<int:pk>/remove", my_firm.Remove.as_view(), name="remove_colleague"),
    path(
        "clients/firm/invitations/<uuid:external_id>/<slug:step>",
        my_firm.ColleagueInvitation.as_view(),
        name="colleague_invitation",
    ),
    path("clients/firm/join/<uuid:external_id>", my_firm.JoinFirm.as_view(), name="join_firm"),
    path("clients/referrals", referrals.ReferralList.as_view(), name="referrals"),
    path("clients/referrals/<uuid:external_id>", referrals.ReferralPage.as_view(), name="referral"),
    path(
        "clients/referrals/<uuid:external_id>/mail",
        referrals.MailReferral.as_view(),
        name="mail_referral",
    ),
    path(
        "clients/referrals/<uuid:external_id>/withdraw",
        referrals.WithdrawReferral.as_view(),
        name="withdraw_referral",
    ),
    path("files/<secret>", file_links.OpenFileLink.as_view(), name="file_link"),
    path("connect", connect.connect, name="connect"),
    path(
        "connected-assistants",
        connected_assistants.ConnectedAssistants.as_view(),
        name="connected_assistants",
    ),
    path(
        "connected-assistants/activity.csv", activity.ActivityFile.as_view(), name="activity_file"
    ),
    path(
        "connected-assistants/end", connected_assistants.EndAll.as_view(), name="end_every_access"
    ),
    path(
        "connected-assistants/<int:pk>/pause",
        connected_assistants.Pause.as_view(),
        name="pause_assistant",
    ),
    path(
        "connected-assistants/<int:pk>/resume",
        connected_assistants.Resume.as_view(),
        name="resume_assistant",
    ),
    path(
        "connected-assistants/<int:pk>/limits",
        connection_limits.ChangeLimits.as_view(),
        name="change_limits",
    ),
    path(
        "connected-assistants/<int:pk>/end", connected_assistants.End.as_view(), name="end_access"
    ),
    path("language", set_language, name="language"),
]
