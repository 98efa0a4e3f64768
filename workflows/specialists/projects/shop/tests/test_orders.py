from src.orders import total


def test_total():
    assert total([{"price": 5, "count": 2}]) == 10


def test_total_of_nothing():
    total([])
