# Before glibc 2.41, pthread_cond_signal can block the main thread: docs/decisions/0067-c-library.md
FROM node:26-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# The image has Node itself, so no package needs its install script.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY gen gen
COPY base base
COPY gateway gateway
COPY services services
COPY store store
COPY cmd cmd
COPY build build
RUN node build/build.ts && npm prune --omit=dev --ignore-scripts

FROM node:26-trixie-slim
# The C library then returns the memory of large buffers: docs/decisions/0111-idle-memory.md
ENV NODE_ENV=production \
    MALLOC_MMAP_THRESHOLD_=1048576 \
    ENGAGE_DATA=/data \
    ENGAGE_LISTEN=0.0.0.0:8080
WORKDIR /app
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json engage.demo.yaml LICENSE ./
COPY proto proto
COPY console/dist console/dist
COPY docs docs
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s --retries=3 CMD ["node", "dist/cmd/engage.js", "health"]
# Node as the first process gets SIGTERM itself and drains.
CMD ["node", "--v8-pool-size=1", "dist/cmd/engage.js", "serve"]
