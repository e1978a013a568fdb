import { createHash } from 'node:crypto'
import type { Locale } from '#core/kernel/translations/index.ts'

/** HTML with all external values escaped. */
export interface Markup {
  readonly markup: string
}

type Piece = string | undefined | Markup | readonly Markup[]

/** Escapes strings, inserts `Markup` unchanged, and renders undefined as empty. */
export const html = (fixed: TemplateStringsArray, ...pieces: Piece[]): Markup => ({
  markup: fixed.map((text, index) => text + (index < pieces.length ? toMarkup(pieces[index]) : '')).join(''),
})

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const toMarkup = (piece: Piece): string => {
  if (piece === undefined) return ''
  if (typeof piece === 'string') return piece.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
  return 'markup' in piece ? piece.markup : piece.map(({ markup }) => markup).join('')
}

const style = `
:root{color-scheme:light dark;--back:#f4f5f7;--card:#fff;--edge:#dfe2e6;--text:#1b1f24;--quiet:#59616a;--line:#868d96;--main:#0b57d0;--on:#fff;--bad:#b3261e;--alert:#fcebea}
@media (prefers-color-scheme:dark){:root{--back:#14171a;--card:#1f2327;--edge:#343a40;--text:#e8eaed;--quiet:#a9b0b7;--line:#8b929a;--main:#a8c7fa;--on:#062e6f;--bad:#f2b8b5;--alert:#3b2423}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:26rem;margin:7vh auto;padding:2rem;background:var(--card);border:1px solid var(--edge);border-radius:.75rem}
header{margin-bottom:.25rem;color:var(--quiet);font-weight:600}
h1{margin:0 0 1.25rem;font-size:1.5rem;line-height:1.25}
label{display:block;margin:1rem 0 .25rem}
input{width:100%;padding:.6rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.4rem}
ul{padding-left:1.25rem}
form{display:grid}
form.choice{grid-template-columns:1fr 1fr;column-gap:.75rem}
button{margin-top:1.5rem;padding:.65rem 1.2rem;font:inherit;font-weight:600;color:var(--main);background:transparent;border:1px solid var(--main);border-radius:.4rem;cursor:pointer}
button.first{color:var(--on);background:var(--main)}
:focus-visible{outline:3px solid var(--main);outline-offset:2px}
[role=alert]{margin:0 0 1rem;padding:.6rem .8rem;color:var(--bad);background:var(--alert);border-radius:.4rem}
small{color:var(--quiet)}
p,code,small{overflow-wrap:anywhere}
`

/** The hash in the policy covers every character between the tags. */
const styleElement: Markup = { markup: `<style>${style}</style>` }
const styleHash = createHash('sha256').update(style).digest('base64')

export interface Page {
  locale: Locale
  title: string
  content: Markup
  /** Allowed redirect target of a form's reply, besides our own origin. */
  formTarget?: string | undefined
}

/** A whole page without scripts or third-party resources, and the headers that enforce this. */
export const renderPage = ({ locale, title, content, formTarget }: Page): { body: string; headers: Record<string, string> } => ({
  body: html`<!doctype html>
    <html lang="${locale.slice(0, 2)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <header>Offhook</header>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.markup,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      `default-src 'none'`,
      `style-src 'sha256-${styleHash}'`,
      `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
      `frame-ancestors 'none'`,
      `base-uri 'none'`,
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  },
})

/** German for browsers that prefer it to English, else English. */
export const localeOf = (acceptLanguage: string | undefined): Locale => {
  const inputs = (acceptLanguage ?? '').split(',').map((entry) => {
    const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { language: tag.slice(0, 2), weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
  })
  const best = (language: string): number =>
    Math.max(0, ...inputs.filter((input) => input.language === language).map(({ weight }) => weight))
  return best('de') > best('en') ? 'de_DE' : 'en_US'
}
