import { createHash } from 'node:crypto'

/**
 * A piece of work that no change to Offhook makes dearer or cheaper: text taken apart, a hash, objects in a map, JSON. A machine that is slow or busy is so
 * for this, too; costs are given as so many of these pieces.
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

/** Gives something that depends on all of it, so that none of it can be left out. */
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
