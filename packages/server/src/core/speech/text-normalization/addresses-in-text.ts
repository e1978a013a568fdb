import { digitByDigit, type Wording } from './wording.ts'
import { spell } from './capitals-in-text.ts'

const address =
  /(?<![\w.+@-])(?:https?:\/\/)?([\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[a-z]{2,10}|(?:[\w-]{1,63}\.){1,4}(?:com|org|net|info|biz|app|dev|io|ai|eu|de|at|ch|uk|us|fr|it|es|example)(?:\/[\w/.-]{0,60}\w)?)\/?(?:[?#][\w=&%.+-]{0,200}[\w=])?(?![\w@])/g

/** Countries are spelled, but for what is said as a word in front of another: co.uk. */
const country = /(?<=\.)([a-z]{2})(?=$|\/)/

/** Addresses of mail and web sites: as somebody would dictate them. */
export const sayAddressesIn = (text: string, wording: Wording): string =>
  text.replace(address, (_, written: string) =>
    written
      .replace(/^www\./, `${spell('www', wording)}.`)
      .replace(country, (letters) => spell(letters, wording))
      .replace(/\d+/g, (digits) => ` ${digitByDigit(digits, wording)} `)
      .replace(/[.@/_+-]/g, (mark) => ` ${wording.symbols[mark === '-' ? '‐' : (mark as '.' | '@' | '/' | '_' | '+')]} `)
      .replace(/ +/g, ' ')
      .trim(),
  )
