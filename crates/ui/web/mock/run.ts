// `npm run mock`: the built page over made-up data, on a fixed port.

import { Mock } from "./server";
import { change, project } from "./world";

const mock = new Mock(project());
console.log(await mock.start(4800));
let id = 400;
setInterval(() => mock.arrive(change(++id, { time: mock.world.now })), 5000);
