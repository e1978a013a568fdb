/** `Musterstraße 1a` → street and number: the service asks for them apart and answers them together. */
export const splitStreet = (line: string): { street: string; number: string } => {
  const [, street = line, number = ''] = /^(.*\S)\s+(\d\S*)$/.exec(line) ?? []
  return { street, number }
}
