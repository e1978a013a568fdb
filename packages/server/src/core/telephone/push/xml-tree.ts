import { SaxesParser } from 'saxes'

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlElement[]
  /** All of its own text, not that of its children. */
  text: string
}

/** For the author of the document. */
export class XmlRefused extends Error {
  override name = 'XmlRefused'
}

export const refuse = (reason: string): never => {
  throw new XmlRefused(reason)
}

const maxElements = 50
const deepest = 8

/** A small document. Knows no entities but the five of XML; declarations and instructions are refused. Throws XmlRefused. */
export const readXml = (document: string): XmlElement => {
  const parser = new SaxesParser({ xmlns: false })
  const outside: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open: XmlElement[] = [outside]
  let elements = 0
  const inner = (): XmlElement => open.at(-1) ?? outside
  parser.on('error', (error) => refuse(error.message))
  parser.on('doctype', () => refuse('a DOCTYPE is not allowed'))
  parser.on('processinginstruction', () => refuse('processing instructions are not allowed'))
  parser.on('opentag', ({ name, attributes }) => {
    if (++elements > maxElements) refuse(`there are more than ${maxElements} elements`)
    if (open.length > deepest) refuse(`elements are nested more than ${deepest} deep`)
    const element: XmlElement = { name, attributes, children: [], text: '' }
    inner().children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => void (inner().text += text))
  parser.on('cdata', (text) => void (inner().text += text))
  parser.on('closetag', () => void open.pop())
  parser.write(document).close()
  return outside.children[0] ?? refuse('there is no element')
}
