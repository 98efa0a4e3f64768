from src.orders import discount, total
from src.report import column


def test_total():
    assert total([{"price": 5, "count": 2}]) == 10


def test_discount():
    assert discount(100, 10) == 90


def test_column():
    assert column({"name": "tea"}, "name") == "tea"
