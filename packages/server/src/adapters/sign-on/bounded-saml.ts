import { SaxesParser } from 'saxes'
import { SignOnFailure } from '#core/kernel/ports/sign-on.ts'

const maxBytes = 256 * 1024
const maxDepth = 32
/** Elements, comments and CDATA sections: the time for a signature grows with their square. */
const maxNodes = 500
const maxAttributes = 1_000
/** Canonicalization compares the namespaces of an element with those of all elements around it. */
const maxNamespaces = 200

/**
 * Decodes a SAML response if reading it is cheap: no document type, no entities, few elements. A signature is checked by parsing and
 * canonicalizing, and anybody may send a response.
 */
export const boundedSaml = (base64: string): string => {
  if (base64.length > (maxBytes / 3) * 4 + 4) throw new SignOnFailure('the response is larger than 256 kB')
  const xml = Buffer.from(base64, 'base64').toString()
  const parser = new SaxesParser({ xmlns: true })
  let [depth, nodes, attributes, namespaces] = [0, 0, 0, 0]
  const refuse = (reason: string): never => {
    throw new SignOnFailure(`the response ${reason}`)
  }
  parser.on('error', () => refuse('is not well-formed XML'))
  parser.on('doctype', () => refuse('has a document type'))
  parser.on('processinginstruction', () => refuse('has a processing instruction'))
  const count = (): void => void (++nodes > maxNodes && refuse('is too complex'))
  parser.on('comment', count)
  parser.on('cdata', count)
  parser.on('opentag', ({ attributes: own, ns }) => {
    depth++
    count()
    attributes += Object.keys(own).length
    namespaces += Object.keys(ns ?? {}).length
    if (depth > maxDepth || attributes > maxAttributes || namespaces > maxNamespaces) refuse('is too complex')
  })
  parser.on('closetag', () => depth--)
  parser.write(xml).close()
  return xml
}
