import { createHash } from 'node:crypto'
import { BlobsFailure } from '#core/kernel/ports/blobs.ts'
import { elementOf } from './s3-failure.ts'
import type { S3Wire } from './s3-wire.ts'

interface Target {
  key: string
  headers: Record<string, string>
}

interface Uploaded {
  bytes: number
  etag: string
}

/** A file of several parts: each is a request of its own that is tried again by itself. What is not completed is thrown away. */
export const uploadParts = async (
  wire: S3Wire,
  { key, headers }: Target,
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): Promise<Uploaded> => {
  const begun = await wire.ask({ method: 'POST', url: wire.urlOf(key, { uploads: '' }), headers })
  const uploadId = elementOf(begun, 'UploadId') ?? ''
  try {
    const etags: string[] = []
    let bytes = 0
    const send = async (body: Uint8Array): Promise<void> => {
      bytes += body.length
      etags.push(await putPart(wire, wire.urlOf(key, { partNumber: String(etags.length + 1), uploadId }), body))
    }
    await send(first)
    for await (const part of rest) await send(part)
    return { bytes, etag: await complete(wire, wire.urlOf(key, { uploadId }), etags) }
  } catch (error) {
    await wire.done({ method: 'DELETE', url: wire.urlOf(key, { uploadId }) }, 200, 204, 404).catch(() => {})
    throw error
  }
}

const putPart = async (wire: S3Wire, url: string, body: Uint8Array): Promise<string> => {
  const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
  const reply = await wire.done({ method: 'PUT', url, headers, body }, 200)
  return String(reply.headers['etag'] ?? '')
}

/** The answer may be an error although its status is 200: it begins before the store has tried. */
const complete = async (wire: S3Wire, url: string, etags: readonly string[]): Promise<string> => {
  const parts = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`).join('')
  const body = Buffer.from(`<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`)
  const answer = await wire.ask({ method: 'POST', url, headers: { 'content-type': 'application/xml' }, body })
  const code = elementOf(answer, 'Code')
  if (code !== undefined) throw new BlobsFailure('away', `The store could not put the parts of a file together: ${code}.`)
  return elementOf(answer, 'ETag') ?? ''
}
