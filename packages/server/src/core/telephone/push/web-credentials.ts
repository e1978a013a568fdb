/** A name and password inside of an address (HTTP Basic) go into a header: they stand in no log, and the outgoing client refuses them. */
export const withoutCredentials = (address: string): { url: string; headers: Record<string, string> } => {
  const url = new URL(address)
  const { username, password } = url
  if (username === '' && password === '') return { url: address, headers: {} }
  url.username = ''
  url.password = ''
  const plain = `${decoded(username)}:${decoded(password)}`
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(plain).toString('base64')}` } }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone % stands for itself
  }
}
