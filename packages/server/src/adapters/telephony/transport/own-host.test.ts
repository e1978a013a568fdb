import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { ownAddress, OwnHost, type ReadInterfaces } from './networks.ts'

type Found = NonNullable<ReturnType<ReadInterfaces>[string]>[number]

const ipv4 = (address: string, internal = false): Found => ({
  address,
  netmask: '255.255.255.0',
  cidr: `${address}/${internal ? 8 : 24}`,
  family: 'IPv4',
  mac: '00:00:00:00:00:00',
  internal,
})

const ipv6 = (address: string): Found => ({
  address,
  netmask: 'ffff:ffff:ffff:ffff::',
  cidr: `${address}/64`,
  family: 'IPv6',
  mac: '00:00:00:00:00:00',
  internal: false,
  scopeid: 2,
})

const startHost = (...cards: Found[]) => {
  const clock = new VirtualClock()
  const system = { reads: 0, cards }
  const readInterfaces: ReadInterfaces = () => {
    system.reads++
    return { lo: [ipv4('127.0.0.1', true)], eth0: system.cards }
  }
  return { clock, system, host: new OwnHost({ clock, readInterfaces }) }
}

test('the IPv4 and loopback addresses of the machine belong to each of its addresses, and to no other', () => {
  const { host } = startHost(ipv4('192.168.1.5'), ipv6('2001:db8::5'), ipv6('fe80::5'))
  const all = ['192.168.1.5', '127.0.0.1']
  for (const own of [...all, '2001:db8::5', 'fe80::5', '127.0.1.1', '::1']) assert.deepEqual(host.addressesBeside(own), all, own)
  for (const other of ['192.168.1.6', '198.51.100.7', '2001:db8::6', 'phone.example', '']) assert.deepEqual(host.addressesBeside(other), [])
})

test('follows a new address within a second and reads no more often', async () => {
  const { clock, system, host } = startHost(ipv4('192.168.1.5'))
  const towards = ownAddress({ host, bound: '0.0.0.0', advertised: undefined })
  assert.equal(towards('10.0.0.9'), '192.168.1.5')
  system.cards = [ipv4('10.0.0.7')]
  for (let each = 0; each < 100; each++) host.addressesBeside('127.0.0.1')
  assert.equal(system.reads, 1)
  assert.deepEqual(host.addressesBeside('10.0.0.7'), [])
  await clock.advance(1_000)
  assert.deepEqual(host.addressesBeside('127.0.0.1'), ['10.0.0.7', '127.0.0.1'])
  assert.deepEqual(host.addressesBeside('192.168.1.5'), [])
  assert.equal(towards('10.0.0.9'), '10.0.0.7')
  assert.equal(system.reads, 2)
})
