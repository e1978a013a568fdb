import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { portHolder } from './port-holder.ts'

const isThere = (program: string): boolean => {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${program}`]).length > 0
  } catch {
    return false
  }
}

for (const [program, portable] of [
  ['ss', false],
  ['lsof', true],
] as const)
  test(`${program} finds the program of a TCP or UDP port, and none for a free one`, { skip: !isThere(program) }, async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await Promise.all([once(server, 'listening'), once(socket, 'listening')])
    t.after(() => (server.close(), socket.close()))
    const here = new RegExp(`\\(pid ${process.pid}\\)$`)
    assert.match((await portHolder('tcp', (server.address() as AddressInfo).port, { portable })) ?? '', here)
    assert.match((await portHolder('udp', socket.address().port, { portable })) ?? '', here)
    assert.equal(await portHolder('tcp', 1, { portable }), undefined)
  })
