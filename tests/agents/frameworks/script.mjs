// What each framework's program here is told to do, and how it says what came back: see script.py.

export const told = JSON.parse(process.argv[2]);
export const prompt = 'do it';

export function report(tools, results) {
  console.log(JSON.stringify({ tools, results }));
}

// The blocks of the protocol.
export function blocks(content) {
  return {
    text: content.filter((block) => block.type === 'text').map((block) => block.text).join(''),
    images: content.filter((block) => block.type === 'image').length,
  };
}
