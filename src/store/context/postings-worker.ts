import { workerData } from 'node:worker_threads';
import { serveBuilder } from './index-builder.ts';
import { postingsFile } from './postings-builder.ts';

serveBuilder(postingsFile((workerData as { readonly documentCount: number }).documentCount));
