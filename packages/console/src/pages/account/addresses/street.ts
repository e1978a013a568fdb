/** `Musterstraße 1a` → street and number: the service takes them separately and returns them joined. */
export const splitStreet = (line: string): { street: string; number: string } => {
  const [, street = line, number = ''] = /^(.*\S)\s+(\d\S*)$/.exec(line) ?? []
  return { street, number }
}
