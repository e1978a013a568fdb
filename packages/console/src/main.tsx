import './shell/look/mantine.css'
import './shell/look/global.css'
import { createRoot } from 'react-dom/client'
import { guardHistory, askFirst } from './parts/leave/leave-guard.ts'
import { fetchAhead } from './shell/routes/fetch-ahead.ts'
import { reloadWhenReplaced } from './shell/routes/reload-when-replaced.ts'
import { styleNonce } from './parts/style-nonce.ts'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { Router } from 'wouter'
import { queryClient } from './api/query-client.ts'
import { ConfirmProvider } from './parts/dialog/confirm.tsx'
import { ToastProvider } from './parts/dialog/toast.tsx'
import { PhoneDock } from './phone/phone-dock.tsx'
import { Routes } from './shell/routes/routes.tsx'
import { cssVariables, theme } from './shell/look/theme.ts'
import { LanguageProvider } from './words/use-text.tsx'

const App = () => (
  <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={styleNonce}>
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <ToastProvider>
          <ConfirmProvider>
            <Router base="/console" aroundNav={askFirst}>
              <Routes />
              <PhoneDock />
            </Router>
          </ConfirmProvider>
        </ToastProvider>
      </LanguageProvider>
    </QueryClientProvider>
  </MantineProvider>
)

// The library behind Mantine's dialogs reads the nonce for its style element here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
reloadWhenReplaced()
fetchAhead()
guardHistory()
const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
