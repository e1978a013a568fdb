import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressRules } from './address-rules.ts'

const PUBLIC = ['1.1.1.1', '8.8.8.8', '93.184.215.14', '172.15.255.255', '172.32.0.1', '192.167.255.255', '100.63.255.255', '100.128.0.1']
PUBLIC.push('2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:4860:4860::8888')

/** One or more addresses of every special-purpose block listed by IANA, for both families, and notations that hide an IPv4 address. */
const NOT_PUBLIC = `
  0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.254 169.254.0.1 169.254.169.254
  172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1
  192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1
  255.255.255.255
  :: ::1 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::808:808
  64:ff9b:1::a00:1 100::1 100:0:0:1::1 2001::1 2001:1::1 2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1
  2001:db8::1 2002:7f00:1::1 2002:808:808::1 2620:4f:8000::1 3fff::1 4000::1 5f00::1 8000::1 fc00::1 fd00::1 fd00:ec2::254
  fe80::1 fe80::1%lo febf::1 fec0::1 ff02::1 ff05::1 ffff::1
`
  .trim()
  .split(/\s+/)

test('allows public addresses on every port', () => {
  const rules = addressRules([])
  for (const address of PUBLIC) assert.equal(rules.allowsAddress(address, 8443), true, address)
})

test('rejects special-purpose addresses', () => {
  const rules = addressRules([])
  assert.ok(NOT_PUBLIC.length >= 70)
  for (const address of NOT_PUBLIC) assert.equal(rules.allowsAddress(address, 443), false, address)
})

test('rejects everything except plain addresses', () => {
  const rules = addressRules(['0.0.0.0/0', '::/0'])
  for (const text of ['', 'example.test', '0x8.8.8.8', '134744072', '8.8.8', '08.8.8.8', ' 8.8.8.8', '8.8.8.8:80', '[::1]']) {
    assert.equal(rules.allowsAddress(text, 443), false, text)
  }
})

test('an exception for a name applies to that name only, with its port if given', () => {
  const rules = addressRules(['Intranet.Example', 'localhost:9000', 'bücher.example', ' db '])
  assert.equal(rules.allowsName('intranet.example', 1), true)
  assert.equal(rules.allowsName('INTRANET.example.', 65_535), true)
  assert.equal(rules.allowsName('evil-intranet.example', 80), false)
  assert.equal(rules.allowsName('intranet.example.evil.test', 80), false)
  assert.equal(rules.allowsName('x.intranet.example', 80), false)
  assert.equal(rules.allowsName('localhost', 9000), true)
  assert.equal(rules.allowsName('localhost', 9001), false)
  assert.equal(rules.allowsName('xn--bcher-kva.example', 80), true)
  assert.equal(rules.allowsName('db', 5432), true)
  assert.equal(rules.allowsAddress('127.0.0.1', 9000), false)
})

test('an exception for an address or a network applies to those addresses only, with the port if given', () => {
  const rules = addressRules(['127.0.0.1:9000', '10.1.0.0/16', '192.168.7.0/24:443', '::1', '[fd00:1::/32]:8443', '[fd00:2::1]:80'])
  const allowed: [string, number][] = [
    ['127.0.0.1', 9000],
    ['10.1.255.255', 1],
    ['192.168.7.9', 443],
    ['::1', 22],
    ['0:0:0:0:0:0:0:1', 22],
    ['fd00:1:2::3', 8443],
    ['fd00:2::1', 80],
  ]
  for (const [address, port] of allowed) assert.equal(rules.allowsAddress(address, port), true, `${address} ${port}`)
  const refused: [string, number][] = [
    ['127.0.0.1', 9001],
    ['127.0.0.2', 9000],
    ['::ffff:127.0.0.1', 9000],
    ['10.2.0.0', 1],
    ['192.168.7.9', 80],
    ['::2', 22],
    ['fd00:1:2::3', 443],
    ['fd00:2::2', 80],
  ]
  for (const [address, port] of refused) assert.equal(rules.allowsAddress(address, port), false, `${address} ${port}`)
})

test('an invalid exception stops the start and is named', () => {
  const wrong = [
    '',
    ' ',
    'host:',
    'host:0',
    'host:65536',
    'host:http',
    '10.0.0.0/33',
    '10.0.0.0/',
    '/8',
    'http://host',
    'a b',
    'user@host',
    '*',
  ]
  wrong.push('[::1', '::1]:80', '[host]:80', '*.example', 'host/path', '0x7f.1', '2130706433', 'fd00::/200', '999.1.1.1', 'a,b')
  for (const entry of wrong) assert.throws(() => addressRules([entry]), new RegExp('Egress exception "'), entry)
})

test('rejects public addresses of this machine unless they are listed', () => {
  const own = () => ['203.0.114.7', '2600:1f00::7', 'fe80::1', 'name.example']
  const rules = addressRules([], own)
  for (const address of ['203.0.114.7', '2600:1f00::7', '2600:1f00:0:0:0:0:0:7'])
    assert.equal(rules.allowsAddress(address, 443), false, address)
  for (const address of ['203.0.114.8', '2600:1f00::8']) assert.ok(rules.allowsAddress(address, 443), address)
  assert.ok(addressRules(['203.0.114.7:443'], own).allowsAddress('203.0.114.7', 443))
  assert.equal(addressRules(['203.0.114.7:443'], own).allowsAddress('203.0.114.7', 80), false)
})
