/** The text of a reply, cut before the chunk that exceeds `maxBytes`. Leaving the loop early destroys the stream and with it the connection. */
export const boundedText = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
