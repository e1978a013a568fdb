import { createHash, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { BlobsFailure, isSafeKey, type BlobFacts, type Blobs } from '#core/kernel/ports/blobs.ts'
import { elementOf } from './s3-failure.ts'
import { inParts } from './in-parts.ts'
import { uploadParts } from './s3-multipart.ts'
import { S3Wire, type S3Options, type S3Reply } from './s3-wire.ts'

export interface S3Blobs extends Blobs {
  link(key: string, seconds: number): Promise<string>
  /** Writes something and removes it again. Throws a BlobsFailure that says what is wrong. */
  check(): Promise<void>
  close(): Promise<void>
}

/** At most this much of a file is in memory; larger files go in parts of this size. Stores want 5 MiB at least. */
const partBytes = 8 * 1024 * 1024

/** Files in a bucket of a store that speaks S3. */
export const s3Blobs = (options: S3Options): S3Blobs => {
  const wire = new S3Wire(options)
  const urlOf = (key: string): string => {
    if (!isSafeKey(key)) throw new Error('a file has an odd name')
    return wire.urlOf(key)
  }

  const head = async (key: string): Promise<(BlobFacts & { etag: string }) | undefined> => {
    const reply = await wire.done({ method: 'HEAD', url: urlOf(key) }, 200, 404)
    return reply.status === 404 ? undefined : { ...factsOf(reply, 'content-length'), etag: one(reply, 'etag') }
  }

  const remove = async (key: string): Promise<void> => {
    await wire.done({ method: 'DELETE', url: urlOf(key) }, 200, 204, 404)
  }

  return {
    async put(key, content, { type, changedAt }) {
      const headers = {
        'content-type': type,
        ...encryptionHeaders(options),
        ...(changedAt !== undefined && { 'x-amz-meta-changed': String(changedAt) }),
      }
      const { bytes, etag } = await putAll(wire, { key, url: urlOf(key), headers }, content)
      const there = await head(key)
      if (there?.bytes !== bytes || there.etag !== etag)
        throw new BlobsFailure('away', `The store has ${there?.bytes ?? 'nothing'} of ${bytes} bytes of a file that it has just taken.`)
      return { bytes, changedAt: there.changedAt }
    },

    async open(key, range) {
      const headers = range && { range: `bytes=${range.first}-${range.last}` }
      const reply = await wire.send({ method: 'GET', url: urlOf(key), ...(headers && { headers }) }, range ? 206 : 200, 404)
      if (reply.status !== 404)
        return { ...factsOf(reply, range ? 'content-range' : 'content-length'), content: reply.body as AsyncIterable<Uint8Array> }
      return noFile(reply, options.bucket)
    },

    size: head,
    remove,
    list: (prefix) => listed(wire, prefix),
    link: (key, seconds) => wire.link(key, seconds),

    async check() {
      await wire.ask({ method: 'GET', url: wire.urlOf('', { 'list-type': '2', 'max-keys': '1', prefix: options.prefix }) })
      const key = `check-${randomUUID()}`
      await putParts(wire, { key, url: urlOf(key), headers: encryptionHeaders(options) }, inParts([Buffer.from('Offhook')], partBytes))
      await remove(key)
    },

    close: () => wire.close(),
  }
}

interface Target {
  key: string
  url: string
  headers: Record<string, string>
}

/** What is read is let go also when the store takes no more of it. */
const putAll = async (wire: S3Wire, target: Target, content: AsyncIterable<Uint8Array>): Promise<{ bytes: number; etag: string }> => {
  const parts = inParts(content, partBytes)
  try {
    return await putParts(wire, target, parts)
  } finally {
    await parts.return()
  }
}

/** One part is one request; more are put together by the store. */
const putParts = async (wire: S3Wire, target: Target, parts: AsyncGenerator<Uint8Array>): Promise<{ bytes: number; etag: string }> => {
  const first = await parts.next()
  const body = first.done ? new Uint8Array() : first.value
  if (body.length === partBytes) return uploadParts(wire, target, body, parts)
  const headers = { ...target.headers, 'content-md5': createHash('md5').update(body).digest('base64') }
  const reply = await wire.done({ method: 'PUT', url: target.url, headers, body }, 200)
  return { bytes: body.length, etag: one(reply, 'etag') }
}

const encryptionHeaders = ({ encryption }: S3Options): Record<string, string> => ({
  ...(encryption && { 'x-amz-server-side-encryption': encryption.algorithm }),
  ...(encryption?.algorithm === 'aws:kms' && { 'x-amz-server-side-encryption-aws-kms-key-id': encryption.keyId }),
})

type Head = Pick<S3Reply, 'headers'>

const one = ({ headers }: Head, name: string): string => String(headers[name] ?? '')

/** The size is the last number of either header: `content-range: bytes 2-4/11`. */
const factsOf = (reply: Head, sizeIn: 'content-length' | 'content-range'): BlobFacts => ({
  bytes: Number(/\d+$/.exec(one(reply, sizeIn))?.[0] ?? 0),
  changedAt: Number(one(reply, 'x-amz-meta-changed')) || Date.parse(one(reply, 'last-modified')) || 0,
})

/** That the whole bucket is missing is something else. */
const noFile = async ({ body }: S3Reply, bucket: string): Promise<undefined> => {
  if (elementOf(await text(body), 'Code') === 'NoSuchBucket')
    throw new BlobsFailure('refused', `There is no bucket ${bucket}: make it, or correct OFFHOOK_FILES.`)
  return undefined
}

async function* listed(wire: S3Wire, prefix: string): AsyncGenerator<BlobFacts & { key: string }, void, undefined> {
  const before = wire.options.prefix
  let next: string | undefined
  do {
    const query = { 'list-type': '2', prefix: before + prefix, ...(next !== undefined && { 'continuation-token': next }) }
    const page = await wire.ask({ method: 'GET', url: wire.urlOf('', query) })
    for (const [, item = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const key = (elementOf(item, 'Key') ?? '').slice(before.length)
      const changedAt = Date.parse(elementOf(item, 'LastModified') ?? '')
      if (isSafeKey(key)) yield { key, bytes: Number(elementOf(item, 'Size')), changedAt }
    }
    next = elementOf(page, 'IsTruncated') === 'true' ? elementOf(page, 'NextContinuationToken') : undefined
  } while (next !== undefined)
}
