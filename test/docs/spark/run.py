from spark_application import sc

args = {"rate": 0.5}


def train(args, index):
    print("loss", args["rate"] / (index + 1))
    return args["rate"] / (index + 1)


# THE BLOCK OF THE PAGE

assert losses == [0.5, 0.25]
