from spark_application import sc

args = {}
rdd = sc.parallelize(range(1000), 4)

# THE BLOCK OF THE PAGE

assert sum(entry.rows for entry in cluster.consumed()) == 3000
