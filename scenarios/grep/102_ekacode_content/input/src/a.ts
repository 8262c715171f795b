1
Hit
3
