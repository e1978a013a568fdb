import { DocumentUnreadable, type DocumentKind } from '#core/kernel/ports/document/document-reader.ts'
import { OutboundFailure, type OutboundHttp, type OutboundReply } from '#core/kernel/ports/outbound-http.ts'
import { isWebAddress } from '#core/kernel/webhook/web-address.ts'
import { userAgent } from '#core/kernel/webhook/standard-webhooks.ts'

const deadlineMs = 20_000
const maxBytes = 5 * 1024 * 1024
const maxRedirects = 3

const kinds: Record<string, DocumentKind> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/plain': 'text',
  'text/markdown': 'markdown',
  'application/pdf': 'pdf',
}

/** A page that a customer names: each address on the way to it has to be one that we may ask. */
export const fetchPage = async (outbound: OutboundHttp, url: string): Promise<{ kind: DocumentKind; content: Buffer }> => {
  let address = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const { status, headers, body } = await ask(outbound, address)
    const location = headers['location']
    if (status >= 300 && status < 400 && location !== undefined) {
      address = next(address, location)
      continue
    }
    if (status !== 200) throw new DocumentUnreadable(`The address answered with ${status}.`)
    const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    const kind = kinds[type]
    if (!kind)
      throw new DocumentUnreadable(`The address gave ${type === '' ? 'no type' : type.slice(0, 100)}, not a page, a text or a PDF.`)
    return { kind, content: body }
  }
  throw new DocumentUnreadable('The address leads on and on.')
}

const next = (from: string, location: string): string => {
  const url = URL.parse(location, from)?.href ?? ''
  if (!isWebAddress(url)) throw new DocumentUnreadable('The address leads to one that is not http or https.')
  return url
}

const ask = async (outbound: OutboundHttp, url: string): Promise<OutboundReply> => {
  const headers = { accept: 'text/html, text/plain, text/markdown, application/pdf', 'user-agent': userAgent }
  try {
    return await outbound.request({ method: 'GET', url, headers, deadlineMs, maxBytes })
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    throw new DocumentUnreadable(
      error.kind === 'too_large' ? 'The page is larger than 5 MB.' : `The page could not be read: ${error.message}.`,
    )
  }
}
