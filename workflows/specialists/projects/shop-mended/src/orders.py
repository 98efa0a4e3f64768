"""Orders of a small shop."""


def total(items):
    return sum(item["price"] * item["count"] for item in items)


def discount(amount, percent):
    return amount - amount * percent // 100
