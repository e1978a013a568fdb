import type { InEach, Language } from '#words/languages.ts'

/** A field error of the service, matched as a whole; `$1` is the captured group. Without English text the original is used. */
interface Rule {
  said: RegExp
  en?: string
  de: string
}

const rules: readonly Rule[] = [
  {
    said: /^(?:is required|is missing|is missing or no text|must be string|must not have fewer than [123] (?:characters|items))$/,
    en: 'Fill this in.',
    de: 'Bitte ausfüllen.',
  },
  { said: /^must (?:not have fewer than|have at least) (\d+) characters$/, en: 'At least $1 characters.', de: 'Mindestens $1 Zeichen.' },
  { said: /^must (?:not have more than|have at most) (\d+) characters$/, en: 'At most $1 characters.', de: 'Höchstens $1 Zeichen.' },
  { said: /^must not have more than (\d+) items$/, en: 'At most $1 entries.', de: 'Höchstens $1 Einträge.' },
  { said: /^must be >= (-?\d+)$/, en: 'At least $1.', de: 'Mindestens $1.' },
  { said: /^must be <= (-?\d+)$/, en: 'At most $1.', de: 'Höchstens $1.' },
  { said: /^must be integer$/, en: 'Enter a whole number.', de: 'Gib eine ganze Zahl ein.' },
  { said: /^must be number$/, en: 'Enter a number.', de: 'Gib eine Zahl ein.' },
  { said: /^must not be 0$/, de: 'Das darf nicht 0 sein.' },
  { said: /^must be one of (.+)$/, en: 'Choose one of these: $1.', de: 'Wähle eines davon: $1.' },
  {
    said: /^(?:is named twice|is given more than once|must not have duplicate items)$/,
    en: 'There is a duplicate entry.',
    de: 'Ein Eintrag kommt doppelt vor.',
  },
  {
    said: /^(?:is not an? (?:valid )?e-mail address|must match format "email")$/,
    en: 'This is not an email address.',
    de: 'Das ist keine E-Mail-Adresse.',
  },
  {
    said: /^(?:is not a (?:valid )?phone number|must be a phone number.*|must match pattern "\^\\\\?\+.*)$/,
    en: 'This is not a phone number. Include the country code, for example +49 30 1234567.',
    de: 'Das ist keine Telefonnummer. Gib sie mit Ländervorwahl ein, zum Beispiel +49 30 1234567.',
  },
  {
    said: /^must match (?:pattern|format) .*$/,
    en: 'This does not have the required format.',
    de: 'Das hat nicht das richtige Format.',
  },
  { said: /^belongs to another user$/, en: 'Another user already has this address.', de: 'Diese Adresse gehört schon jemand anderem.' },
  { said: /^is not the present password$/, en: 'This is not your current password.', de: 'Das ist nicht dein aktuelles Passwort.' },
  {
    said: /^must not be the e-mail address$/,
    en: 'Choose something other than your email address.',
    de: 'Nimm etwas anderes als deine E-Mail-Adresse.',
  },
  {
    said: /^must not be one of the most used passwords$/,
    en: 'This is a very common password and easy to guess. Choose another one.',
    de: 'Dieses Passwort ist weit verbreitet und leicht zu erraten. Nimm ein anderes.',
  },
  { said: /^is taken by another user$/, en: 'Another user already has this.', de: 'Das hat schon jemand anderes.' },
  { said: /^is taken(?: by another tariff)?$/, de: 'Das ist schon vergeben.' },
  {
    said: /^is required for a German landline number$/,
    en: 'A German landline number needs an address in its area.',
    de: 'Eine deutsche Festnetznummer braucht eine Adresse in ihrem Ortsnetz.',
  },
  {
    said: /^is in another area than the number$/,
    en: 'This address is in a different area than the number.',
    de: 'Diese Adresse liegt in einem anderen Ortsnetz als die Nummer.',
  },
  { said: /^is required (?:to register|with a password)$/, en: 'This is needed to log in.', de: 'Das ist zum Anmelden nötig.' },
  { said: /^(?:lies in the past|must be in the future)$/, en: 'This is in the past.', de: 'Das liegt in der Vergangenheit.' },
  { said: /^must be later than validFrom$/, en: 'The end must be later than the beginning.', de: 'Das Ende muss nach dem Anfang liegen.' },
  { said: /^is not known here$/, en: 'This voice is not available here.', de: 'Diese Stimme ist hier nicht verfügbar.' },
  { said: /^is no calendar date$/, en: 'This date does not exist.', de: 'Dieses Datum gibt es nicht.' },
  {
    said: /^must be a host name or an IP address, without a port$/,
    de: 'Das muss ein Hostname oder eine IP-Adresse sein, ohne Port.',
  },
  {
    said: /^must be an IP address or a network such as 192\.0\.2\.0\/24$/,
    de: 'Das muss eine IP-Adresse oder ein Netz wie 192.0.2.0/24 sein.',
  },
  { said: /^would trust every address there is$/, de: 'Damit würde jeder Adresse vertraut.' },
  {
    said: /^(?:must be an (?:absolute )?http or https address.*|must consist of printable ASCII characters.*)$/,
    en: 'This is not an address such as https://example.com/path.',
    de: 'Das ist keine Adresse wie https://example.com/pfad.',
  },
  { said: /^must be whsec_ and 24 to 64 bytes in base64$/, de: 'Das muss whsec_ sein, gefolgt von 24 bis 64 Bytes in Base64.' },
  { said: /^must be a name such as Europe\/Berlin$/, de: 'Das muss ein Name wie Europe/Berlin sein.' },
  { said: /^(?:is no country code of|is not the code of a country).*$/, en: 'Unknown country.', de: 'Dieses Land gibt es nicht.' },
  { said: /^leads (?:to this line itself|back to this line)$/, de: 'Das führt zu diesem Anschluss zurück.' },
  { said: /^is already being ported to this account$/, de: 'Diese Nummer wird schon hierher portiert.' },
  { said: /^is served by us already$/, en: 'This number is already here.', de: 'Diese Nummer ist schon hier.' },
  { said: /^is of a kind that cannot be ported to us$/, de: 'Nummern dieser Art können nicht hierher portiert werden.' },
  { said: /^is not a free SIM card in stock$/, de: 'Das ist keine freie SIM-Karte aus dem Bestand.' },
  { said: /^is not a SIM card of this account$/, de: 'Das ist keine SIM-Karte dieses Kontos.' },
  {
    said: /^is a tariff in ([A-Z]{3}), but the account is in ([A-Z]{3})$/,
    en: 'This tariff is in $1, but the account is in $2.',
    de: 'Dieser Tarif ist in $1, das Konto aber in $2.',
  },
  { said: /^must not be the e-mail address$/, de: 'Das darf nicht die E-Mail-Adresse sein.' },
  {
    said: /^(?:is refused: this )?is an emergency number$|^must not be the rescue services$/,
    en: 'This is an emergency number.',
    de: 'Das ist eine Notrufnummer.',
  },
  {
    said: /^names short numbers, which can only be called$/,
    en: 'Short numbers can only be called.',
    de: 'Kurzrufnummern können nur angerufen werden.',
  },
  { said: /^is a premium(?: rate)? number.*$/, en: 'This is a premium rate number.', de: 'Das ist eine teure Sondernummer.' },
  { said: /^cannot be called from this account$/, de: 'Diese Nummer kann von diesem Konto aus nicht angerufen werden.' },
]

const others: InEach<(problem: string) => string> = {
  en: (problem) => `This ${problem}.`,
  de: (problem) => `Das passt so nicht: it ${problem}.`,
}

/** Field error for the user. The service writes for programs, in English. */
export const fieldWords = (problem: string, language: Language): string => {
  const rule = rules.find(({ said }) => said.test(problem))
  const words = rule?.[language]
  return rule === undefined || words === undefined ? others[language](problem) : problem.replace(rule.said, words)
}
