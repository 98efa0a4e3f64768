"""The pages of a small shop."""


def connect(url):
    return url.split("://")


def product_page(database, product_id):
    product = database.product(product_id)
    return f"<h1>{product['name']}</h1><p>{product['price']}</p>"


def basket_total(basket):
    return sum(item["price"] * item["count"] for item in basket)
