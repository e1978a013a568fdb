import './shell/look/mantine.css'
import './shell/look/global.css'
import { createRoot } from 'react-dom/client'
import { guardHistory } from './parts/leave/leave-guard.ts'
import { App } from './app.tsx'
import { fetchAhead } from './shell/routes/fetch-ahead.ts'
import { reloadWhenReplaced } from './shell/routes/reload-when-replaced.ts'
import { styleNonce } from './parts/style-nonce.ts'

// Where the library behind Mantine's dialogs looks for the nonce of the style element that it adds.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
reloadWhenReplaced()
fetchAhead()
guardHistory()
const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
