"""What an exchange of a code and a refresh cost: their statements, transaction control included."""


def test_a_code_is_exchanged(flow, django_assert_num_queries):
    code = flow.code()

    with django_assert_num_queries(22):
        assert flow.exchange(code).status_code == 200


def test_a_token_is_refreshed(flow, django_assert_num_queries):
    token = flow.tokens()["refresh_token"]

    with django_assert_num_queries(22):
        assert flow.refresh(token).status_code == 200


def test_a_token_is_refreshed_once_more(flow, django_assert_num_queries):
    token = flow.tokens()["refresh_token"]
    flow.refresh(token)

    with django_assert_num_queries(14):
        flow.refresh(token)
