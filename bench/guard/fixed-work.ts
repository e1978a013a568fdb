import { createHash } from 'node:crypto'

/**
 * Unit of work whose cost no change to Offhook affects: text parsing, a hash, objects in a map, JSON. A slow or busy machine slows this equally;
 * costs are given in these units.
 */
const message = [
  'INVITE sip:+4930901820@127.0.0.1:5060 SIP/2.0',
  ...Array.from({ length: 24 }, (_, n) => `X-Header-${n}: <sip:user${n}@192.0.2.${n}:5060;transport=udp>;tag=${n * 7919}`),
  '',
  'v=0',
].join('\r\n')

const kept = 2000
const seen = new Map<string, { name: string; value: string; parameters: string[] }>()

const takeApart = (text: string, nth: number): number => {
  let found = 0
  for (const line of text.split('\r\n').slice(1)) {
    const [, name = '', value = ''] = /^([\w-]+): *(.*)$/.exec(line) ?? []
    if (name === '') continue
    const parameters = value.split(';').slice(1)
    seen.set(`${name} ${(nth * 31) % kept}`, { name: name.toLowerCase(), value, parameters })
    found += parameters.length
  }
  return found
}

/** Returns a value that depends on all of the work, so that none of it can be optimised away. */
export const doPiece = (): string => {
  let digest = ''
  for (let n = 0; n < 20; n++) {
    const found = takeApart(message, n)
    const { value = '' } = seen.get(`X-Header-3 ${(n * 31) % kept}`) ?? {}
    digest = createHash('sha256').update(`${message}${digest}${value}${found}`).digest('hex')
    digest += JSON.stringify(JSON.parse(JSON.stringify({ digest, found, headers: [...seen.values()].slice(0, 50) }))).length
  }
  return digest
}
