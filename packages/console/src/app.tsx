import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { Router } from 'wouter'
import { queryClient } from './api/query-client.ts'
import { ConfirmProvider } from './parts/dialog/confirm.tsx'
import { ToastProvider } from './parts/dialog/toast.tsx'
import { askFirst } from './parts/leave/leave-guard.ts'
import { PhoneDock } from './phone/phone-dock.tsx'
import { Routes } from './shell/routes/routes.tsx'
import { styleNonce } from './parts/style-nonce.ts'
import { cssVariables, theme } from './shell/look/theme.ts'
import { LanguageProvider } from './words/use-text.tsx'

export const App = () => (
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
