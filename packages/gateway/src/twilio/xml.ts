import { SaxesParser } from 'saxes'

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** Text and elements as they follow each other. */
  readonly content: (XmlElement | string)[]
}

/** For the author of the document. */
export class XmlRefused extends Error {
  override name = 'XmlRefused'
}

const maxElements = 500
const deepest = 16

const refuse = (reason: string): never => {
  throw new XmlRefused(reason)
}

/** A small document. Knows no entities but the five of XML; a DOCTYPE is refused. Throws XmlRefused. */
export const readXml = (document: string): XmlElement => {
  const parser = new SaxesParser({ xmlns: false })
  const outside: XmlElement = { name: '', attributes: {}, content: [] }
  const open: XmlElement[] = [outside]
  let elements = 0
  const inner = (): XmlElement => open.at(-1) ?? outside
  parser.on('error', (error) => refuse(error.message))
  parser.on('doctype', () => refuse('a DOCTYPE is not allowed'))
  parser.on('opentag', ({ name, attributes }) => {
    if (++elements > maxElements) refuse(`there are more than ${maxElements} elements`)
    if (open.length > deepest) refuse(`elements are nested more than ${deepest} deep`)
    const element: XmlElement = { name, attributes, content: [] }
    inner().content.push(element)
    open.push(element)
  })
  parser.on('text', (text) => void inner().content.push(text))
  parser.on('cdata', (text) => void inner().content.push(text))
  parser.on('closetag', () => void open.pop())
  parser.write(document.trim()).close()
  return childrenOf(outside)[0] ?? refuse('there is no element')
}

export const childrenOf = ({ content }: XmlElement): XmlElement[] => content.filter((node) => typeof node !== 'string')

/** All text in it, in one line. */
export const textOf = ({ content }: XmlElement): string => content.map((node) => (typeof node === 'string' ? node : textOf(node))).join('')

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** What is in it, written as XML again. */
export const innerXml = ({ content }: XmlElement): string =>
  content
    .map((node) => {
      if (typeof node === 'string') return escaped(node)
      const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`)
      return `<${node.name}${attributes.join('')}>${innerXml(node)}</${node.name}>`
    })
    .join('')
