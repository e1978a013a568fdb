import type { Readable } from 'node:stream'
import type { ReadPassage, ReadTerm } from '#core/kernel/ports/files.ts'

/** A JSON line of the reading process; `page`: one more page of a PDF is read, `refused`: the document cannot be read. */
export type DocumentLine = ReadPassage | ReadTerm | { page: number } | { refused: string }

/** Maximum characters of a line: postings of a term in every passage are the longest. */
const maxLineLength = 1_000_000

/** Lines of a stream, with backpressure. */
export async function* readLines(output: Readable): AsyncGenerator<DocumentLine> {
  let rest = ''
  for await (const chunk of output.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineLength) throw new Error('the process that reads documents wrote a line without an end')
    for (const line of lines) yield JSON.parse(line) as DocumentLine
  }
}
