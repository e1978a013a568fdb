/**
 * What the most used passwords are made of, in English and German. A password needs twelve characters, so the famous ones appear as
 * these words doubled, put together, or stretched with digits and signs: a list of whole passwords would miss nearly all of them.
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

/** What fingers do: neighbours on a keyboard, the alphabet, counting. Forwards and backwards. */
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

/** Signs that stand for letters. */
const signs: Record<string, string> = { '@': 'a', '4': 'a', '3': 'e', '1': 'i', '!': 'i', '0': 'o', $: 's', '5': 's', '7': 't' }

/** With more than these, the password is the user's own. */
const maxPieces = 4

/** Whether it is one of those that are guessed first. */
export const isCommonPassword = (password: string): boolean => {
  const text = password.normalize('NFKC').toLowerCase()
  const asLetters = text.replaceAll(/[@4310!$57]/g, (sign) => signs[sign] ?? sign)
  return [text, asLetters, asLetters.replace(/[^\p{L}]+$/u, ''), withoutTail(text)]
    .map((view) => view.replaceAll(/[^\p{L}\p{N}]/gu, ''))
    .some((view) => isRepetition(view) || isCovered(view, maxPieces))
}

/** The letters as meant, the digits at the end as they are: p4ssw0rd2024. */
const withoutTail = (text: string): string => {
  const tail = /[\d\W_]*$/.exec(text)?.[0] ?? ''
  const head = text.slice(0, text.length - tail.length)
  return head.replaceAll(/[@4310!$57]/g, (sign) => signs[sign] ?? sign) + tail
}

const isRepetition = (text: string): boolean => /^(.{1,4})\1{2,}.{0,3}$/u.test(text)

/** Nothing in it but well-known pieces. */
const isCovered = (text: string, pieces: number): boolean => {
  if (text === '') return true
  if (pieces === 0) return false
  return piecesAt(text).some((length) => isCovered(text.slice(length), pieces - 1))
}

/** How long the well-known pieces are that the text begins with, longest first. */
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
