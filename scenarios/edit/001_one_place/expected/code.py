def hello():
    print("Hi")
