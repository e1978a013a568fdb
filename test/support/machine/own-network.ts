import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { startPeer } from './peer-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Address of the network card inside (RFC 5737). */
export const card = '198.51.100.10'
/** Loopback address. */
export const loopback = '127.0.0.1'

const mark = 'OFFHOOK_TEST_OWN_NETWORK'

/** True inside the network namespace. */
export const isInOwnNetwork = process.env[mark] === 'yes'

/** Card with a default route to nowhere: no packet leaves the namespace. */
const oneCard = `
ip link add card type veth peer name far &&
ip address add ${card}/24 dev card &&
ip link set card up &&
ip link set far up &&
ip route add default via 198.51.100.1`

/**
 * Runs a test file again in a network namespace: loopback, and by default one card with the address `card`. Needs root or user namespaces; skips without
 * them, and fails under `CI=true`. Skips where the kernel lacks a kind of device. Resolves with its output.
 */
export const runInOwnNetwork = async (t: TestContext, file: string, devices = oneCard): Promise<string> => {
  const start = `ip link set lo up && ${devices} && ${mark}=yes exec "$@"`
  const namespaces = process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net']
  const folder = await temporaryFolder(t)
  const node = ['env', '-u', 'NODE_TEST_CONTEXT', process.execPath, '--test-reporter=spec', file]
  const peer = startPeer(t, 'unshare', [...namespaces, 'sh', '-c', start, 'sh', ...node], folder)
  const code = await peer.ended
  const output = peer.output()
  const isForbidden = /unshare: .*(Operation not permitted|Permission denied|Invalid argument)/.test(output)
  const skipped = (why: string): string => {
    t.skip(why)
    return output
  }
  if (isForbidden && process.env.CI !== 'true') return skipped('skipped, no network namespaces here')
  if (/Unknown device type|RTNETLINK answers: (Operation not supported|Not supported)/.test(output)) return skipped(`skipped: ${output}`)
  assert.equal(code, 0, output)
  return output
}
