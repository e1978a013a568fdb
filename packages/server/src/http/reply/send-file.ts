import { Readable } from 'node:stream'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenRecording } from '#core/kernel/ports/files.ts'
import { sendProblem } from './errors.ts'

/** Reply of a handler that returns a file instead of JSON. `sendFile` closes it. */
export interface FileReply {
  file: OpenRecording
  /** Proposed file name: letters, digits, dots and dashes. */
  name: string
  /** Changes with the content. */
  tag: string
}

interface Part {
  first: number
  /** Inclusive. */
  last: number
}

const chunkBytes = 64 * 1024

/** Sends the whole file or one range of it, streamed from the disk. */
export const sendFile = (request: FastifyRequest, reply: FastifyReply, type: string, { file, name, tag }: FileReply): void => {
  const { bytes } = file
  const etag = `"${tag}"`
  void reply.headers({
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    // Images are created by us and shown inline; documents may come from anywhere and are never rendered under our origin.
    'content-disposition': `${type.startsWith('image/') ? 'inline' : 'attachment'}; filename="${name}"`,
    etag,
  })
  const part = requestedPart(request, etag, bytes)
  if (part === 'none') {
    void file.close()
    void reply.header('content-range', `bytes */${bytes}`).removeHeader('content-disposition')
    void sendProblem(reply, new Problem('range_not_satisfiable', `The file has ${bytes} bytes.`))
    return
  }
  const { first, last } = part ?? { first: 0, last: bytes - 1 }
  if (part) void reply.code(206).header('content-range', `bytes ${first}-${last}/${bytes}`)
  void reply.header('content-length', last - first + 1).type(type)
  if (request.method === 'HEAD') {
    void file.close()
    void reply.send(null)
  } else void reply.send(streamOf(file, first, last))
}

/** Undefined: the whole file, also for several ranges or an invalid one. `none`: not satisfiable. */
const requestedPart = ({ headers }: FastifyRequest, etag: string, bytes: number): Part | 'none' | undefined => {
  const { range } = headers
  const condition = headers['if-range']
  if (range === undefined || (condition !== undefined && condition !== etag)) return undefined
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? []
  if (from === '' && to === '') return undefined
  if (from === '') return to === '0'.repeat(to.length) ? 'none' : within(Math.max(0, bytes - Number(to)), bytes - 1, bytes)
  if (to !== '' && Number(to) < Number(from)) return undefined
  return within(Number(from), to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1), bytes)
}

const within = (first: number, last: number, bytes: number): Part | 'none' => (first < bytes ? { first, last } : 'none')

/** Reads at the client's pace; closed at the end of the file and when the client disconnects. */
const streamOf = (file: OpenRecording, first: number, last: number): Readable => {
  let position = first
  return new Readable({
    highWaterMark: chunkBytes,
    read() {
      const length = Math.min(chunkBytes, last - position + 1)
      const reading = length > 0 ? file.read(position, length) : Promise.resolve(undefined)
      reading.then(
        (piece) => {
          position += piece?.length ?? 0
          if (!piece) this.push(null)
          // A truncated file cannot satisfy the announced length.
          else if (piece.length === 0) this.destroy(new Error('a file became shorter while it was sent'))
          else this.push(piece)
        },
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      file.close().then(
        () => done(error),
        (failed: Error) => done(error ?? failed),
      )
    },
  })
}
