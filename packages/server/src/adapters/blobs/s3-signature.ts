import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'

export interface S3Keys {
  key: string
  secret: string
  region: string
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: Uint8Array
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** As Signature Version 4 writes it: `20130524T000000Z`. */
const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')

/** The headers to send. All that are given are signed, and so is the body: the store refuses what was changed on the way. */
export const signedHeaders = async ({ key, secret, region }: S3Keys, request: S3Request, at: number): Promise<Record<string, string>> => {
  const { method, url, headers = {}, body = new Uint8Array() } = request
  const signer = new AwsV4Signer({
    accessKeyId: key,
    secretAccessKey: secret,
    region,
    service: 's3',
    method,
    url,
    headers: { ...headers, 'x-amz-content-sha256': sha256(body) },
    datetime: stamp(at),
    allHeaders: true,
  })
  return Object.fromEntries((await signer.sign()).headers)
}

/** An address that reads one file until the time is over. */
export const signedLink = async ({ key, secret, region }: S3Keys, url: string, seconds: number, at: number): Promise<string> => {
  const expiring = new URL(url)
  expiring.searchParams.set('X-Amz-Expires', String(seconds))
  const signer = new AwsV4Signer({
    accessKeyId: key,
    secretAccessKey: secret,
    region,
    service: 's3',
    method: 'GET',
    url: expiring.href,
    datetime: stamp(at),
    signQuery: true,
  })
  return (await signer.sign()).url.href
}
