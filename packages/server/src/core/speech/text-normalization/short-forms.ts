import { mainLanguage } from './main-language.ts'

/** Abbreviations without a final dot; case-sensitive. */
const shortForms: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  en: [
    [/(?<![\p{L}\p{N}])w\/o(?!\p{L})/gu, 'without'],
    [/(?<![\p{L}\p{N}])c\/o(?!\p{L})/gu, 'care of'],
    [/(?<![\p{L}\p{N}])w\/(?= \p{L})/gu, 'with'],
    [/(?<![\p{L}\p{N}])[Nn]o\.(?= ?\d)/gu, 'number'],
    // Directions in a street.
    ...(['North', 'South', 'East', 'West'] as const).map(
      (name) => [new RegExp(`(?<=\\d )${name.charAt(0)}\\.?(?= (?:\\p{Lu}\\p{Ll}|\\d{1,3}(?:st|nd|rd|th)))`, 'gu'), name] as const,
    ),
    [/(?<=\d ?ft\.? \d{1,2}) ?in(?:\.|(?!\p{L}))/gu, '″'],
  ],
  de: [
    [/(?<![\p{L}\p{N}])GmbH(?!\p{L})/gu, 'G M B H'],
    [/(?<![\p{L}\p{N}])GbR(?!\p{L})/gu, 'G B R'],
    [/(?<![\p{L}\p{N}])Kfz(?!\p{L})/gu, 'K F Z'],
    [/(?<![\p{L}\p{N}])Pkw(?!\p{L})/gu, 'P K W'],
    [/(?<![\p{L}\p{N}])Lkw(?!\p{L})/gu, 'L K W'],
    [/(?<![\p{L}\p{N}])c\/o(?!\p{L})/gu, 'bei'],
    [/(?<![\p{L}\p{N}])PLZ(?!\p{L})/gu, 'Postleitzahl'],
    [/(?<![\p{L}\p{N}])KW(?= \d)/gu, 'Kalenderwoche'],
    [/(?<![\p{L}\p{N}])Kto\.(?=-? ?\p{N}|-?Nr)/gu, 'Konto'],
    [/(?<![\p{L}\p{N}])USt-IdNr\./gu, 'Umsatzsteuer-Identifikationsnummer'],
    [/(?<![\p{L}\p{N}])Dipl\.-Ing\./gu, 'Diplom-Ingenieur'],
    [/(?<![\p{L}\p{N}])[mM]fG(?!\p{L})/gu, 'mit freundlichen Grüßen'],
    [/(?<![\p{L}\p{N}])Hbf(?:\.|(?!\p{L}))/gu, 'Hauptbahnhof'],
    [/(?<![\p{L}\p{N}])geb\.(?= ?(?:am )?\d)/gu, 'geboren'],
    [/(?<![\p{L}\p{N}])geb\.(?= \p{Lu})/gu, 'geborene'],
    [/(?<=\d\. ?)OG(?!\p{L})/gu, 'Obergeschoss'],
    [/(?<=\d\. ?)UG(?!\p{L})/gu, 'Untergeschoss'],
    [/(?<![\p{L}\p{N}])EG(?= |$|[,.])/gu, 'Erdgeschoss'],
    [/(?<=(?<![\p{L}\d:.,])(?:[01]?\d|2[0-4]))h(?=[0-5]\d(?!\d))/gu, ':'],
    [/(?<=\d) ?T€/gu, '.000 €'],
    [/(?<![\p{L}\p{N}-])Nr\.(?= ?\d)/gu, 'Nummer'],
    [/(?<![\p{L}\p{N}])S?Fr\. ?(?=\d)/gu, 'CHF '],
    [/(?<=CHF \d{1,6})\.[–—-]+/gu, ''],
    [/(?<=\d),[–—-]{1,2}(?!\s?(?:€|Euro|EUR|CHF|Fr|\d))/gu, ' Euro'],
    [/(?<=\p{Ll}{2})nr\.(?= ?\d)/gu, 'nummer'],
    // Suffixes of a name.
    [/(?<=\p{Ll}{2})str(?:\.|(?= \d))/gu, 'straße'],
    [/(?<=\p{Ll}{3})pl\.(?= \d)/gu, 'platz'],
  ],
}

/** Runs before numbers: full words give more context for them. */
export const writeOutShortForms = (text: string, _: unknown, language: string): string =>
  (shortForms[mainLanguage(language)] ?? []).reduce((rest, [short, words]) => rest.replace(short, words), text)
