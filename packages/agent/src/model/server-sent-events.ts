export class TooMuch extends Error {}

/** The data of each event of a `text/event-stream`, whatever its line ends and however it was cut into pieces. */
export async function* readEvents(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let size = 0
  let data: string[] = []
  for await (const piece of body) {
    size += piece.length
    if (size > maxBytes) throw new TooMuch(`more than ${maxBytes} bytes`)
    rest += decoder.decode(piece, { stream: true })
    // A lone carriage return at the end may be half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '' && data.length > 0) yield data.splice(0).join('\n')
      else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    }
  }
  // Servers that leave out the last empty line mean it all the same.
  const last = rest.replace(/\r$/, '')
  if (last.startsWith('data:')) data.push(last.slice(5).replace(/^ /, ''))
  if (data.length > 0) yield data.join('\n')
}
