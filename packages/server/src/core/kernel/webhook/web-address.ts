/** Absolute, http or https, and without a password, which would be seen wherever the address is shown. */
export const isWebAddress = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === ''
}

/** The same for a WebSocket: ws or wss. */
export const isSocketAddress = (text: string): boolean => /^wss?:/i.test(text) && isWebAddress(text.replace(/^ws/i, 'http'))

/** Instead of an address: the assistant that every installation with a demo has, wherever it listens. */
export const demoAssistant = 'demo:assistant'

export const isDemoAddress = (text: string): boolean => /^demo:assistant(?:\?language=(?:de|en))?$/.test(text)
