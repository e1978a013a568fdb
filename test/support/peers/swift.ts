import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { AwsClient } from 'aws4fetch'
import { startPeer, until, type PeerProcess } from '../machine/peer-process.ts'
import { endBeforeRemoval, temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { needs } from './debian.ts'

/** S3-compatible store. */
export interface S3Peer {
  url: string
  key: string
  secret: string
  region: string
  bucket: string
}

export interface SwiftPeer extends S3Peer {
  /** Ends it and deletes its objects. */
  stop(): Promise<void>
  /** Freezes it like an unavailable store, until `wake`. */
  halt(): void
  wake(): void
}

const key = 'office:recorder'
const secret = 'the-secret-of-the-office'

/** OpenStack's object store with its S3 interface, which checks signatures, dates and checksums. Undefined, and the test is skipped, where it is not installed. */
export const startSwift = async (t: TestContext, scope: Scope = t): Promise<SwiftPeer | undefined> => {
  const programs = ['swift-proxy-server', 'swift-account-server', 'swift-container-server', 'swift-object-server'] as const
  if (!(await needs(t, ...programs))) return undefined
  const folder = await temporaryFolder(scope)
  const peer = startPeer(scope, '/usr/bin/python3', [join(import.meta.dirname, 'swift-store.py'), folder, key, secret], folder)
  endBeforeRemoval(folder, () => peer.stop())
  const url = `http://127.0.0.1:${await portOf(peer)}`
  const swift = { url, key, secret, region: 'us-east-1', bucket: 'office' }
  await makeBucket(swift)
  return { ...swift, stop: () => peer.stop(), halt: () => process.kill(peer.pid, 'SIGSTOP'), wake: () => process.kill(peer.pid, 'SIGCONT') }
}

const portOf = (peer: PeerProcess): Promise<string> =>
  until('the port of Swift', () => {
    if (!peer.running()) throw new Error(`Swift ended early: ${peer.output().slice(-3000)}`)
    return /^port (\d+)$/m.exec(peer.output())?.[1]
  })

const makeBucket = async ({ url, key: accessKeyId, secret: secretAccessKey, region, bucket }: S3Peer): Promise<void> => {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
  const { status } = await client.fetch(`${url}/${bucket}`, { method: 'PUT' })
  if (status !== 200) throw new Error(`the bucket could not be made: ${status}`)
}

/** Real store named in the environment: `OFFHOOK_TEST_S3=https://key:secret@host/bucket?region=eu-central-1`. */
export const storeOfEnvironment = (): S3Peer | undefined => {
  const given = process.env.OFFHOOK_TEST_S3
  if (given === undefined) return undefined
  const { origin, username, password, pathname, searchParams } = new URL(given)
  const names = { key: decodeURIComponent(username), secret: decodeURIComponent(password) }
  return { url: origin, ...names, region: searchParams.get('region') ?? 'us-east-1', bucket: pathname.slice(1) }
}
