import type { VoiceLanguage } from './voice-languages.ts'

export interface Phonemes {
  phones: string[]
  tones: number[]
}

/**
 * IPA → symbols of the models, which were trained on ARPABET and on rules for German that know one "e", "i", "o" and "u". Foreign sounds get
 * the nearest known one.
 */
const table = (lines: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    lines
      .trim()
      .split(/\s+/)
      .map((pair) => {
        const [sound = '', symbols = ''] = pair.split('=')
        return [sound, symbols.split('+')] as const
      }),
  )

const tables: Readonly<Record<VoiceLanguage, ReadonlyMap<string, readonly string[]>>> = {
  en: table(`
    p=p b=b t=t d=d k=k g=g ɡ=g f=f v=V θ=th ð=dh s=s z=z ʃ=sh ʒ=zh h=hh x=k ç=sh tʃ=ch ʧ=ch dʒ=jh ʤ=jh ts=t+s m=m n=n ŋ=ng ɲ=n+y
    l=l ɫ=l ʎ=l+y r=r ɹ=r ɾ=d ʁ=r ʀ=r j=y w=w ʍ=w ɥ=w β=V ɣ=g
    iː=iy i=iy ɪ=ih e=ey eː=ey eɪ=ey ɛ=eh ɛː=eh æ=ae a=aa aː=aa ɑː=aa ɑ=aa ɒ=aa ɔː=ao ɔ=ao o=ow oː=ow oʊ=ow əʊ=ow ʊ=uh u=uw uː=uw
    ʌ=ah ə=ah ɐ=ah ɜː=er ɜ=er ɝ=er ɚ=er ɜːr=er ər=er aɪ=ay aʊ=aw ɔɪ=oy ɔʏ=oy y=uw yː=uw ʏ=uh ø=er øː=er œ=er œː=er
    ɪə=ih+r eə=eh+r ʊə=uh+r`),
  de: table(`
    p=p b=b t=t d=d k=k g=g ɡ=g f=f v=V w=V ʋ=V θ=s ð=z s=s z=z ʃ=ʃ ʒ=ʒ h=h x=x χ=x ç=ç tʃ=t+ʃ ʧ=t+ʃ dʒ=d+ʒ ʤ=d+ʒ ts=ts pf=p+f m=m n=n
    ŋ=ŋ ɲ=n+j l=l ɫ=l ʎ=l+j r=ʁ ɹ=ʁ ɾ=ʁ ʁ=ʁ ʀ=ʁ j=j
    aɪ=a+ɪ ai=a+ɪ aʊ=a+ʊ au=a+ʊ ɔʏ=ɔ+ʏ ɔɪ=ɔ+ʏ ɔø=ɔ+ʏ ʊŋ=ʊ+ŋ ɛː=ɛ+ː
    i=i ɪ=i e=e ɛ=e æ=e a=a ɑ=a ʌ=a ɒ=o ɔ=o o=o ʊ=u u=u ə=e ɐ=ɐ ɜ=œ ɝ=œ+ɐ ɚ=ɐ y=ʏ yː=yː ʏ=ʏ ø=ø œ=œ ː=ː`),
}

/** German "-er" after a consonant: two symbols for the model. */
const weakEnding = /(?<=[pbtdkgɡfvwszʃʒhxχçmnŋlrʁj])ɐ/g
const maxSound = 3
const vowel = /^(?:aa|ae|ah|ao|aw|ay|eh|er|ey|ih|iy|ow|oy|uh|uw)$/
/** Tones of English vowels: without stress, primary, secondary. */
const stress = { none: 1, ˈ: 2, ˌ: 3 } as const

/** Phonemes of a word in IPA. Ignores what it does not know. */
export const phonemesOf = (ipa: string, language: VoiceLanguage): Phonemes => {
  const known = tables[language]
  // Without tie bars and nasal signs; a syllabic consonant gets a weak vowel; every stress mark has one form.
  const plain = ipa
    .normalize('NFD')
    .replace(/c\u0327/g, 'ç')
    .replace(/(\p{L})[\u0329\u030d]/gu, 'ə$1')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll("'", 'ˈ')
    .replaceAll(':', 'ː')
    .replace(language === 'de' ? weakEnding : /$^/, 'eɐ')
  const phones: string[] = []
  const tones: number[] = []
  let tone: number = stress.none
  for (let at = 0; at < plain.length;) {
    const character = plain.charAt(at)
    if (character === 'ˈ' || character === 'ˌ') tone = stress[character]
    const length = [maxSound, 2, 1].find((count) => known.has(plain.slice(at, at + count)))
    for (const phone of length === undefined ? [] : (known.get(plain.slice(at, at + length)) ?? [])) {
      const carries = language === 'en' && vowel.test(phone)
      phones.push(phone)
      tones.push(carries ? tone : 0)
      if (carries) tone = stress.none
    }
    at += length ?? 1
  }
  const first = tones.indexOf(stress.none)
  if (language === 'en' && first >= 0 && !/[ˈˌ]/.test(plain)) tones[first] = stress['ˈ']
  return { phones, tones }
}
