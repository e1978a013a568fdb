/** As they were said: lower case, without marks. Times and decimals stay whole, as they are no digits read out one by one. */
export const spokenWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/(?<=\d)[:.](?=\d)/g, 'point')
    .replaceAll(/[^\p{L}\p{N}' ]+/gu, ' ')
    .split(' ')
    .filter((word) => word !== '')
