import '@mantine/core/styles.css'
import './shell/global.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
