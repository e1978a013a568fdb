import type { ErrorCode } from '@offhook/contract/errors.ts'
import { Problem } from '@offhook/contract/problem.ts'

const shortest = 12
const maxBytes = 1024

/** Field of the password in a request, and its name in the error text. */
interface Named {
  field: string
  code: ErrorCode
}

const usual: Named = { field: 'password', code: 'parameter_invalid' }

/** Requires enough length and rejects common passwords. */
export const requireGoodPassword = (field: string, password: string, email: string): void => {
  const named: Named = { field, code: 'password_weak' }
  requireLength(password, named)
  refuseGuessable(password, email, named)
}

export const requireLength = (password: string, { field, code } = usual): void => {
  if (password.length < shortest) throw Problem.field(field, `must have at least ${shortest} characters`, code)
  if (Buffer.byteLength(password) > maxBytes) throw Problem.field(field, `must have at most ${maxBytes} bytes`, code)
}

export const refuseGuessable = (password: string, email: string, { field, code } = usual): void => {
  if (password.trim().toLowerCase() === email.toLowerCase()) throw Problem.field(field, 'must not be the e-mail address', code)
  if (isCommonPassword(password)) throw Problem.field(field, 'must not be one of the most used passwords', code)
}

/**
 * Parts of the most used passwords, in English and German. A password needs twelve characters, so the common ones appear as
 * these words doubled, combined, or padded with digits and signs: a list of whole passwords would miss nearly all of them.
 */
const words = new Set(
  `abc access account action admin administrator adobe alex alexander amanda andrea andrew angel angela animal anna anthony arsenal ashley asshole austin
  babygirl bailey banana barney baseball basketball batman bayern beach beautiful berlin blessed blink bonjour boss brandon bubbles buster butterfly
  carlos changeme charlie cheese chelsea chicken chocolate chris christian citroen company computer cookie corvette cowboy daniel danielle database default
  demo diamond dieter dolphin dortmund dragon eagle einstein elephant elizabeth eminem engel fender ferrari ficken flower fluffy football forever frank franzi
  frankfurt freedom friend friends fuck fuckyou fussball gandalf gast geheim gemini george germany ginger golden google guest guitar hallo hamburg hamster
  hannover hannah harley hase heaven heather hello helpme herbst hockey hunter iceman iloveu iloveyou internet jackson jasmine jasper jennifer jessica jesus
  jordan joshua julia justin kaiser katze killer king kitty kennwort kuchen lassmichrein letmein liebe lisa liverpool lol london love lovely loveme lovers
  maggie mama manager marina marlboro martin master matrix matthew maus maverick mercedes merlin michael michelle mickey monday monkey monster mother mustang
  mutter myspace naruto nicole nothing office offhook oliver orange papa paradise pass passw0rd passwd passwort password patrick peanut pepper peter phoenix
  phone player please pokemon porsche power princess private purple qwerty qwertz rabbit rainbow rangers robert root samantha samsung sascha schalke schatz
  schatzi school schule schwarz secret secure security server service shadow simone snoopy soccer sommer sonne spiderman starwars stefan stuttgart summer
  sunflower sunshine super superman support system sweet taylor telefon tennis test tester testing thomas thunder tiffany tigger time tobias trustno tweety
  unknown user vanessa vater victoria wasser welcome werner whatever william willkommen winner winter wizard yamaha yankees yellow zugang`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
const longestWord = Math.max(...[...words].map(({ length }) => length))

/** Typing sequences: adjacent keys, the alphabet, counting. Forwards and backwards. */
const tracks = [
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopüasdfghjklöäyxcvbnm',
  'abcdefghijklmnopqrstuvwxyz',
  '12345678901234567890',
  '1q2w3e4r5t6y7u8i9o0p',
  '1q2w3e4r5t6z7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qazwsxedcrfvtgbyhnujm',
  'zaq12wsxcde34rfv',
].flatMap((track) => [track, track.split('').toReversed().join('')])

/** Signs that substitute letters. */
const signs: Record<string, string> = { '@': 'a', '4': 'a', '3': 'e', '1': 'i', '!': 'i', '0': 'o', $: 's', '5': 's', '7': 't' }

/** Maximum pieces of a common password; with more, it counts as individual. */
const maxPieces = 4

/** Whether attackers would guess it first. */
export const isCommonPassword = (password: string): boolean => {
  const text = password.normalize('NFKC').toLowerCase()
  const asLetters = text.replaceAll(/[@4310!$57]/g, (sign) => signs[sign] ?? sign)
  return [text, asLetters, asLetters.replace(/[^\p{L}]+$/u, ''), withoutTail(text)]
    .map((view) => view.replaceAll(/[^\p{L}\p{N}]/gu, ''))
    .some((view) => isRepetition(view) || isCovered(view, maxPieces))
}

/** Substitutes letters but keeps the trailing digits: p4ssw0rd2024. */
const withoutTail = (text: string): string => {
  const tail = /[\d\W_]*$/.exec(text)?.[0] ?? ''
  const head = text.slice(0, text.length - tail.length)
  return head.replaceAll(/[@4310!$57]/g, (sign) => signs[sign] ?? sign) + tail
}

const isRepetition = (text: string): boolean => /^(.{1,4})\1{2,}.{0,3}$/u.test(text)

/** Whether the text consists only of well-known pieces. */
const isCovered = (text: string, pieces: number): boolean => {
  if (text === '') return true
  if (pieces === 0) return false
  return piecesAt(text).some((length) => isCovered(text.slice(length), pieces - 1))
}

/** Lengths of the well-known pieces at the start of the text, longest first. */
const piecesAt = (text: string): number[] => {
  const found: number[] = []
  for (let length = Math.min(text.length, longestWord * 2); length >= 1; length--)
    if (isPiece(text.slice(0, length), length === text.length)) found.push(length)
  return found
}

const isPiece = (piece: string, last: boolean): boolean =>
  words.has(piece) ||
  (piece.length >= 3 && tracks.some((track) => track.includes(piece))) ||
  /^(.)\1+$/u.test(piece) ||
  /^(19|20)\d\d$/.test(piece) ||
  (last && /^\d{1,4}$/.test(piece))
